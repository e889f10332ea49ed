import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** Answers one request, in whatever way. */
export type Answering = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>

export interface HostileServer {
  readonly url: string
  /** Answer the next requests in these ways, the last one from then on. */
  answer(...ways: Answering[]): void
  /** How many requests came. */
  readonly requests: number
  /** Settles when no connection is open that a request came on. */
  whenClosed(): Promise<void>
  stop(): Promise<void>
}

/** A server that speaks HTTP, and after that what it likes. */
export async function hostileServer(): Promise<HostileServer> {
  const sockets = new Set<Socket>()
  let ways: Answering[] = []
  let requests = 0
  const server = createServer(async (request, response) => {
    const { socket } = request
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    const way = ways[Math.min(requests++, ways.length - 1)] as Answering
    for await (const _chunk of request);
    await way(response, request)
  })
  server.on('connection', (socket) => {
    socket.on('error', () => undefined) // the client went: that is what some of the tests are about
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    answer(...next) {
      ways = next
      requests = 0
    },
    get requests() {
      return requests
    },
    async whenClosed() {
      for (const socket of sockets)
        await new Promise<void>((resolve) => (sockets.has(socket) ? socket.once('close', () => resolve()) : resolve()))
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** One event of a stream, in the format of OpenAI's chat completions. */
export function chunk(delta: unknown, finish: string | null = null): string {
  return `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
}

/** The start of a call, and more of its arguments. */
export function callChunk(index: number, { id, name, args }: { id?: string | null; name?: string; args: string }): string {
  return chunk({
    tool_calls: [{ index, ...(id !== undefined && { id, type: 'function' }), function: { ...(name && { name }), arguments: args } }],
  })
}

/** Begin a stream of events. */
export function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
}

/** Write the pieces, each in a packet of its own. */
export async function write(response: ServerResponse, ...pieces: readonly (string | Uint8Array)[]): Promise<void> {
  response.socket?.setNoDelay(true)
  for (const piece of pieces) {
    await new Promise<void>((resolve) => response.write(piece, () => resolve()))
    await new Promise((resolve) => setImmediate(resolve))
  }
}
