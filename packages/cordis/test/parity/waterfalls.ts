import type { Host } from '@dsh/tools'
import { expect, test } from 'vitest'
import { agentOf, type CreateHost, gist, plugin, rawTool, run } from '../fixtures.ts'

export function waterfalls(createHost: CreateHost): void {
  /** Notes who was asked, and goes on. */
  const noting = (host: Host, seen: string[], who: string, options?: { prepend?: boolean }) =>
    host.on('tools/pre-execute', (_exec, next) => (seen.push(who), next()), options)

  test('listeners run in the order in which they were added, the first outermost', async () => {
    const { host } = await createHost()
    const seen: string[] = []
    for (const who of ['a', 'b']) {
      host.on('tools/execute', async (_exec, next) => {
        seen.push(`${who} in`)
        const result = await next()
        seen.push(`${who} out`)
        return result
      })
    }
    host.tools.register(rawTool('t', async () => (seen.push('body'), null)))
    await run(host, 't')
    expect(seen).toEqual(['a in', 'b in', 'body', 'b out', 'a out'])
  })

  test('prepend puts a listener before all others, the newest first', async () => {
    const { host } = await createHost()
    const seen: string[] = []
    noting(host, seen, 'a')
    noting(host, seen, 'first', { prepend: true })
    noting(host, seen, 'b')
    noting(host, seen, 'very first', { prepend: true })
    host.tools.register(rawTool('t'))
    await run(host, 't')
    expect(seen).toEqual(['very first', 'first', 'a', 'b'])
  })

  test('the order holds across scopes', async () => {
    const { host, scope } = await createHost()
    const agent = agentOf('a')
    const below = scope(agent).host
    const seen: string[] = []
    noting(below, seen, 'agent')
    noting(host, seen, 'root')
    noting(below, seen, 'agent first', { prepend: true })
    host.tools.register(rawTool('t'))
    await run(host, 't', agent)
    expect(seen).toEqual(['agent first', 'agent', 'root'])
  })

  test('a pre-execute listener that calls next() twice fails the call, whose body never starts', async () => {
    const { host } = await createHost()
    let started = false
    host.on('tools/pre-execute', async (_exec, next) => {
      await next()
      return next()
    })
    host.tools.register(rawTool('t', async () => (started = true)))
    expect(gist(await run(host, 't'))).toBe('POLICY_FAILED')
    expect(started).toBe(false)
  })

  test('a wrapper may call next() again after it settled, and the last attempt counts', async () => {
    const { host } = await createHost()
    let attempts = 0
    host.on('tools/execute', async (_exec, next) => {
      const first = await next()
      return first.isError ? next() : first
    })
    host.tools.register(
      rawTool('t', async () => {
        attempts++
        if (attempts === 1) throw new Error('not yet')
        return attempts
      }),
    )
    expect(gist(await run(host, 't'))).toBe('2')
  })

  test('a wrapper whose calls of next() overlap is broken', async () => {
    const { host } = await createHost()
    let attempts = 0
    host.on('tools/execute', async (_exec, next) => (await Promise.all([next(), next()]))[0])
    host.tools.register(rawTool('t', async () => ++attempts))
    expect((await run(host, 't')).isError).toBe(true)
    expect(attempts).toBe(1)
  })

  test('a listener that throws fails the call, and the log names its plugin', async () => {
    const { host, logger } = await createHost()
    await host.plugin(
      plugin('strict-policy', (mounted) => {
        mounted.on('tools/pre-execute', () => Promise.reject(new Error('confused')))
      }),
    )
    host.tools.register(rawTool('t'))
    expect(gist(await run(host, 't'))).toBe('POLICY_FAILED')
    expect(logger.entries.map(({ message }) => message)).toEqual([expect.stringMatching(/strict-policy.*confused/)])
  })

  test('a listener that no plugin added goes by the name of its function', async () => {
    const { host, logger } = await createHost()
    host.on('tools/pre-execute', async function nosy() {
      throw new Error('confused')
    })
    host.tools.register(rawTool('t'))
    expect(gist(await run(host, 't'))).toBe('POLICY_FAILED')
    expect(logger.entries.map(({ message }) => message)).toEqual([expect.stringMatching(/nosy.*confused/)])
  })

  test('an observer that throws is told to the logger by the name of its plugin, and changes nothing', async () => {
    const { host, logger } = await createHost()
    await host.plugin(
      plugin('metrics', (mounted) => {
        mounted.on('tools/result', () => {
          throw new Error('full')
        })
      }),
    )
    host.tools.register(rawTool('t'))
    expect(gist(await run(host, 't'))).toBe('"t"')
    expect(logger.entries.map(({ message }) => message)).toEqual([expect.stringMatching(/metrics.*full/)])
  })
}
