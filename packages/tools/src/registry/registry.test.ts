import { describe, expect, test, vi } from 'vitest'
import { codeOf, live, rawTool, testRuntime, textOf } from '../../test/fixtures.ts'
import type { Agent, ToolDefinition, ToolDiagnostic } from '../index.ts'

const activation = (agent: Agent, signal = live) => ({ agent, modelSelection: { provider: 'p', model: 'm' }, signal })

describe('registration', () => {
  test('checks name, output, both schemas and timeoutMs, and reports all problems at once', () => {
    const { runtime } = testRuntime()
    const bad = {
      ...rawTool('bad name!', async () => 1),
      timeoutMs: 0,
      effects: 'some',
      parameters: { type: 'object', properties: { a: { type: 'string', pattern: 'x' } } },
      output: { schema: { type: 'array', minItems: 1 }, render: 'no' },
    } as unknown as ToolDefinition
    expect(() => runtime.tools.register(bad)).toThrow(TypeError)
    const message = catchMessage(() => runtime.tools.register(bad))
    for (const part of [
      'bad name!',
      'name must be',
      'timeoutMs',
      'effects',
      'parameters.properties.a',
      'pattern',
      'output.schema',
      'minItems',
      'output.render',
    ]) {
      expect(message).toContain(part)
    }
  })

  test.each(['', 'a b', 'ä', 'x'.repeat(65), 'functions.search'])('the name %j is refused', (name) => {
    const { runtime } = testRuntime()
    expect(() => runtime.tools.register(rawTool(name, async () => 1))).toThrow(/name must be/)
  })

  test('run_code is reserved', () => {
    const { runtime } = testRuntime()
    expect(() => runtime.tools.register(rawTool('run_code', async () => 1))).toThrow(/reserved/)
  })

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('%s is an ordinary name', async (name) => {
    const { runtime } = testRuntime()
    expect(codeOf(await runtime.call(name))).toBe('UNKNOWN_TOOL')
    runtime.tools.register(rawTool(name, async () => 'mine'))
    expect((await runtime.call(name)).value).toBe('mine')
  })

  test('a duplicate in one layer throws; shadowing an inherited tool is allowed', () => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('t', async () => 1))
    expect(() => runtime.tools.register(rawTool('t', async () => 2))).toThrow(/already registered/)
    expect(() => runtime.child({}).tools.register(rawTool('t', async () => 3))).not.toThrow()
  })

  test('a condition that is none is named with the other problems, and a changed definition is compiled as it is now', async () => {
    const { runtime } = testRuntime()
    expect(() =>
      runtime.tools.register(
        rawTool('a b', async () => 1),
        { when: true as never },
      ),
    ).toThrow(/name must be[\s\S]*when must be/)
    const definition = { ...rawTool('t', async () => 1), parameters: { type: 'object' } as ToolDefinition['parameters'] }
    runtime.tools.register(definition)()
    definition.parameters = { type: 'object', properties: { a: {} }, required: ['a'] }
    runtime.tools.register(definition)
    expect(codeOf(await runtime.call('t'))).toBe('INVALID_ARGS')
  })

  test('a schema beyond the subset is refused: nothing is advertised and not enforced', () => {
    const { runtime } = testRuntime()
    const tool = rawTool('t', async () => 1, { parameters: { type: 'object', $ref: '#/x' } as never })
    expect(() => runtime.tools.register(tool)).toThrow(/\$ref/)
    expect(runtime.tools.schemas()).toEqual([])
  })

  test('oneOf branches that cannot be told apart raise a diagnostic at registration', () => {
    const { runtime } = testRuntime()
    const told: ToolDiagnostic[] = []
    runtime.on('tools/diagnostic', (diagnostic) => void told.push(diagnostic))
    const number = { oneOf: [{ type: 'integer' }, { type: 'number' }] } as const
    runtime.tools.register(rawTool('t', async () => 1, { parameters: { type: 'object', properties: { n: number } } }))
    expect(told).toEqual([expect.objectContaining({ kind: 'ambiguous-schema', tool: 't', message: expect.stringContaining('parameters') })])
  })
})

describe('views', () => {
  test('order is registration order, ancestors first, so that what is added later comes last', () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    child.tools.register(rawTool('c1', async () => 1))
    for (const name of ['r1', 'r2']) runtime.tools.register(rawTool(name, async () => 1))
    expect(runtime.tools.definitions(agent).map((tool) => tool.name)).toEqual(['r1', 'r2', 'c1'])
  })

  test('schemas() are cached, deep-frozen, shared, and carry name, description and parameters only', () => {
    const { runtime } = testRuntime()
    runtime.tools.register(
      rawTool('t', async () => 1, { parameters: { type: 'object', properties: { a: { type: 'string' } } }, timeoutMs: 5 }),
    )
    const schemas = runtime.tools.schemas()
    expect(schemas).toBe(runtime.tools.schemas())
    expect(schemas).toEqual([
      { name: 't', description: 'The tool t.', parameters: { type: 'object', properties: { a: { type: 'string' } } } },
    ])
    expect(Object.isFrozen(schemas) && Object.isFrozen(schemas[0]) && Object.isFrozen(schemas[0]?.parameters.properties?.['a'])).toBe(true)
    runtime.tools.register(rawTool('u', async () => 1))
    expect(runtime.tools.schemas()).not.toBe(schemas)
    expect(runtime.tools.schemas()[0]).toBe(schemas[0])
  })

  test('looking up costs no walk over the tools: nothing is listed to find one, and lists are made once', () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    for (let n = 0; n < 10_000; n++) runtime.tools.register(rawTool(`t${n}`, async () => n))
    child.tools.register(rawTool('own', async () => 1))
    const listed = vi.spyOn(Map.prototype, 'entries')
    const iterated = vi.spyOn(Map.prototype, Symbol.iterator as unknown as 'entries')
    expect([
      runtime.tools.get('t9999', agent)?.name,
      runtime.tools.executable('t1', agent)?.name,
      runtime.tools.get('nope', agent),
    ]).toEqual(['t9999', 't1', undefined])
    expect([listed.mock.calls.length, iterated.mock.calls.length]).toEqual([0, 0])
    vi.restoreAllMocks()
    expect(runtime.tools.definitions(agent)).toBe(runtime.tools.definitions(agent))
    expect(runtime.tools.definitions(agent)).toHaveLength(10_001)
  })

  test('a change in a sibling scope leaves a cached view alone', () => {
    const { runtime } = testRuntime()
    const [one, two] = [{}, {}]
    const sibling = runtime.child(two)
    runtime.child(one)
    runtime.tools.register(rawTool('t', async () => 1))
    const before = runtime.tools.schemas(one)
    sibling.tools.register(rawTool('other', async () => 1))
    expect(runtime.tools.schemas(one)).toBe(before)
  })
})

describe('restrictions', () => {
  const setUp = () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    for (const name of ['read', 'write', 'grep']) runtime.tools.register(rawTool(name, async () => name))
    const names = (scope?: object) => runtime.tools.definitions(scope).map((tool) => tool.name)
    return { runtime, agent, child, names }
  }

  test('filter what a scope inherits, intersect, and lift one by one', () => {
    const { agent, child, names } = setUp()
    const liftAllow = child.tools.restrict({ allow: ['read', 'write'] })
    expect(names(agent)).toEqual(['read', 'write'])
    const liftDeny = child.tools.restrict({ deny: ['write'] })
    expect(names(agent)).toEqual(['read'])
    liftAllow()
    expect(names(agent)).toEqual(['read', 'grep'])
    liftDeny()
    expect(names(agent)).toEqual(['read', 'write', 'grep'])
    expect(names()).toEqual(['read', 'write', 'grep'])
  })

  test("a scope's own registrations stay visible, to itself and below, where a restriction of theirs applies again", () => {
    const { runtime, agent, child, names } = setUp()
    child.tools.register(rawTool('report', async () => 1))
    child.tools.restrict({ allow: ['read'] })
    expect(names(agent)).toEqual(['read', 'report'])
    const below = {}
    const grandchild = child.child(below)
    grandchild.tools.restrict({ deny: ['report'] })
    expect(names(below)).toEqual(['read'])
    expect(runtime.tools.get('report', below)).toBeUndefined()
  })

  test('a deny filter lets later tools through, an allow list does not', () => {
    const { runtime, agent, child, names } = setUp()
    const lift = child.tools.restrict({ deny: ['write'] })
    runtime.tools.register(rawTool('later', async () => 1))
    expect(names(agent)).toContain('later')
    lift()
    child.tools.restrict({ allow: ['read'] })
    runtime.tools.register(rawTool('latest', async () => 1))
    expect(names(agent)).toEqual(['read'])
  })

  test('at the root it is an error', () => {
    const { runtime } = setUp()
    expect(() => runtime.tools.restrict({ deny: ['read'] })).toThrow(/root inherits nothing/)
  })

  test('empty filters, unknown, own and reserved names are errors; an unknown name lists near names', () => {
    const { child } = setUp()
    child.tools.register(rawTool('own', async () => 1))
    expect(() => child.tools.restrict({})).toThrow(/empty/)
    expect(() => child.tools.restrict({ deny: ['raed'] })).toThrow(/did you mean "read"/)
    expect(() => child.tools.restrict({ deny: ['own'] })).toThrow(/registered in this scope itself/)
    expect(() => child.tools.restrict({ allow: ['run_code'] })).toThrow(/transport/)
    expect(() => child.tools.restrict({ allow: 'read' as never })).toThrow(/array of tool names/)
  })
})

describe('conditional admission', () => {
  test('all conditions are evaluated concurrently, once, and decide the step', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    runtime.child(agent)
    const yes = vi.fn(async () => true)
    const no = vi.fn(() => false)
    runtime.tools.register(rawTool('plain', async () => 1))
    runtime.tools.register(
      rawTool('yes', async () => 2),
      { when: yes },
    )
    runtime.tools.register(
      rawTool('no', async () => 3),
      { when: no },
    )
    const toolSet = await runtime.tools.resolve(activation(agent))
    expect([...toolSet.view(agent).keys()]).toEqual(['plain', 'yes'])
    expect([yes.mock.calls.length, no.mock.calls.length]).toEqual([1, 1])
    expect(runtime.tools.schemas(agent, toolSet).map((schema) => schema.name)).toEqual(['plain', 'yes'])
    expect(runtime.tools.executable('yes', agent, toolSet)).toBeDefined()
    expect(runtime.tools.executable('no', agent, toolSet)).toBeUndefined()
    expect(yes).toHaveBeenCalledTimes(1)
  })

  test('without a set, conditional registrations are shown to inspection and unavailable to calls', async () => {
    const { runtime } = testRuntime()
    runtime.tools.register(
      rawTool('maybe', async () => 1),
      { when: () => true },
    )
    expect(runtime.tools.get('maybe')).toBeDefined()
    expect(runtime.tools.executable('maybe')).toBeUndefined()
    expect(codeOf(await runtime.call('maybe'))).toBe('UNKNOWN_TOOL')
  })

  test('another scope is never admitted by a set', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    runtime.child(agent)
    runtime.tools.register(rawTool('t', async () => 1))
    const toolSet = await runtime.tools.resolve(activation(agent))
    expect(toolSet.view(undefined).size).toBe(0)
    expect(toolSet.view({}).size).toBe(0)
  })

  test('yields nothing when cancelled or when a condition rejects', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    runtime.child(agent)
    const controller = new AbortController()
    const dispose = runtime.tools.register(
      rawTool('slow', async () => 1),
      {
        when: async () => {
          controller.abort(new Error('gone'))
          return true
        },
      },
    )
    await expect(runtime.tools.resolve(activation(agent, controller.signal))).rejects.toThrow('gone')
    dispose()
    runtime.tools.register(
      rawTool('broken', async () => 1),
      { when: async () => Promise.reject(new Error('no quota')) },
    )
    await expect(runtime.tools.resolve(activation(agent))).rejects.toThrow('no quota')
  })

  test('never resurrects a removed registration; a same-name replacement or a new restriction blocks the name', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    const definition = rawTool('t', async () => 1)
    const dispose = runtime.tools.register(definition)
    runtime.tools.register(rawTool('u', async () => 1))
    const toolSet = await runtime.tools.resolve(activation(agent))
    dispose()
    expect(toolSet.view(agent).has('t')).toBe(false)
    runtime.tools.register(definition)
    expect(toolSet.view(agent).has('t')).toBe(false)
    child.tools.restrict({ deny: ['u'] })
    expect(runtime.tools.executable('u', agent, toolSet)).toBeUndefined()
  })

  test('lists of a step are made once, until something changes, and its view admits nothing more', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    runtime.child(agent)
    runtime.tools.register(rawTool('t', async () => 1))
    const toolSet = await runtime.tools.resolve(activation(agent))
    expect(runtime.tools.schemas(agent, toolSet)).toBe(runtime.tools.schemas(agent, toolSet))
    expect(runtime.tools.modelInput(agent, toolSet)).toBe(runtime.tools.modelInput(agent, toolSet))
    const view = toolSet.view(agent) as Map<string, ToolDefinition>
    expect(() =>
      view.set(
        'ghost',
        rawTool('ghost', async () => 1),
      ),
    ).toThrow(/cannot be changed/)
    expect(runtime.tools.executable('ghost', agent, toolSet)).toBeUndefined()
  })

  test('a disposed set admits nothing', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    runtime.child(agent)
    runtime.tools.register(rawTool('t', async () => 1))
    const toolSet = await runtime.tools.resolve(activation(agent))
    toolSet.dispose()
    toolSet.dispose()
    expect(toolSet.view(agent).size).toBe(0)
    expect(codeOf(await runtime.call('t', {}, { agent }))).toBeUndefined()
  })
})

describe('explain', () => {
  test('says for any name whether it is callable, and if not, what hides it', async () => {
    const { runtime } = testRuntime()
    const agent: Agent = { id: 'a' }
    const child = runtime.child(agent)
    runtime.tools.register(rawTool('read', async () => 1))
    runtime.tools.register(rawTool('write', async () => 1))
    child.tools.restrict({ deny: ['write'] })
    child.tools.register(
      rawTool('read', async () => 1),
      { when: () => false },
    )
    expect(runtime.tools.explain('read')).toMatchObject({ callable: true, origin: 'own', shadows: false })
    expect(runtime.tools.explain('write', agent)).toMatchObject({
      callable: false,
      because: 'restricted',
      restriction: { deny: ['write'] },
    })
    expect(runtime.tools.explain('read', agent)).toMatchObject({ callable: false, because: 'conditional', shadows: true })
    expect(runtime.tools.explain('wriet')).toMatchObject({ callable: false, because: 'unknown', nearest: ['write'] })
    const toolSet = await runtime.tools.resolve(activation(agent))
    expect(runtime.tools.explain('read', agent, toolSet)).toMatchObject({ callable: false, because: 'not-admitted', shadows: true })
  })
})

describe('unknown tools', () => {
  test.each([
    ['serach', '"search"'],
    ['functions.search', '"search"'],
    ['search ', '"search"'],
    ['Search', '"search"'],
  ])('%j fails as UNKNOWN_TOOL and names the nearest', async (name, hint) => {
    const { runtime } = testRuntime()
    runtime.tools.register(rawTool('search', async () => 1))
    const result = await runtime.call(name)
    expect(codeOf(result)).toBe('UNKNOWN_TOOL')
    expect(textOf(result)).toContain(hint)
  })
})

function catchMessage(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('nothing was thrown')
}
