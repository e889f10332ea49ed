import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32, deflateSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { cli, folder } from './run-cli.ts'

const picture = png(30, 20)
const base64 = picture.toString('base64')
const words = `image/png, 30 x 20 pixels, ${picture.length.toLocaleString('en')} bytes`

test('a person reads what a picture is, never its bytes; a program gets them', async () => {
  const root = folder({ 'a.png': picture, 'calls.jsonl': '{"name":"read","arguments":{"path":"a.png"}}\n' })
  const call = ['call', 'read', '--arg', 'path=a.png'] as const
  expect((await cli(root, call)).out).toBe(`a.png: ${words}\n[image: image/png]\n`)
  expect((await cli(root, ['batch', 'calls.jsonl', '--session', 's'])).out).toContain(`✓ read a.png · ${words} · `)
  for (const argv of [
    [...call, '--json'],
    ['batch', 'calls.jsonl', '--json'],
    ['replay', 's', '--json'],
  ]) {
    const forProgram = await cli(root, argv)
    expect(forProgram.out).toContain(`"type":"image","mediaType":"image/png","data":"${base64}"`)
    const forPerson = await cli(root, argv, { tty: true })
    expect(forPerson.json().length).toBe(forProgram.json().length)
    expect(forPerson.out).toContain(`"data":"[${base64.length.toLocaleString('en')} characters of base64]"`)
    expect(forPerson.out).not.toContain(base64.slice(0, 40))
  }
})

test('a model is shown the picture that it reads, and a person is told what it was', async () => {
  const asked = await anthropic([
    [
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't1', name: 'read', input: {} } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"path":"a.png"}' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
    ],
    [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Noise.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    ],
  ])
  const env = { ANTHROPIC_BASE_URL: asked.url, ANTHROPIC_API_KEY: 'k', DSH_MODEL: 'anthropic:some' }
  const { code, out, err } = await cli(folder({ 'a.png': picture }), ['run', 'What is on it?'], { env })
  expect([code, out]).toEqual([0, 'Noise.\n'])
  expect(err).toContain(`✓ read a.png · ${words} · `)
  const { messages } = JSON.parse(asked.bodies[1] as string) as { messages: { role: string; content: { type: string }[] }[] }
  expect(messages.at(-1)?.content).toMatchObject([
    {
      type: 'tool_result',
      tool_use_id: 't1',
      content: [
        { type: 'text', text: `a.png: ${words}` },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
      ],
    },
  ])
})

type StreamEvent = Readonly<Record<string, unknown>> & { readonly type: string }

/** A server that streams these answers, one a request, as the Messages API does. */
async function anthropic(
  answers: readonly (readonly StreamEvent[])[],
): Promise<{ readonly url: string; readonly bodies: readonly string[] }> {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const events = [
      {
        type: 'message_start',
        message: { id: 'm', type: 'message', role: 'assistant', model: 'some', content: [], usage: { input_tokens: 1, output_tokens: 0 } },
      },
      ...(answers[bodies.push(body) - 1] ?? []),
      { type: 'message_stop' },
    ]
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, bodies }
}

/** A picture of noise in shades of grey. */
function png(width: number, height: number): Buffer {
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  const rows = Buffer.concat(Array.from({ length: height }, () => Buffer.concat([Buffer.alloc(1), randomBytes(width)])))
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', Buffer.concat([size, Buffer.from([8, 0, 0, 0, 0])])),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
