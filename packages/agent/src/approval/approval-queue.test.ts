import { createFakeClock, createLatch, createTestTool, type Latch } from '@dsh/tools/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sessionRuntime, tool } from '../../test/tools.ts'
import { isEvent } from '../log/event.ts'
import { importSession } from '../log/import-session.ts'
import { createMemoryStore } from '../log/memory-store.ts'
import { openSession } from '../log/open-session.ts'
import { resumeCalls } from '../resume/resume-calls.ts'
import type { ApprovalCard } from './approval-card.ts'
import { type ApprovalEvent, type ApprovalQueue, type ApprovalQueueOptions, createApprovalQueue } from './approval-queue.ts'
import type { Approver, ApproverAnswer, ApproverContext } from './approver.ts'

const asks = async () => ({ kind: 'ask', reason: 'house rule', displayReason: { en: 'May it?' } }) as const

/** Somebody who is asked, and answers when the test says so. */
function approver(name = 'person') {
  const questions: { readonly card: ApprovalCard; readonly context: ApproverContext; readonly answer: Latch<ApproverAnswer> }[] = []
  let came = createLatch()
  const self: Approver = {
    name,
    async ask(card, context) {
      const answer = createLatch<ApproverAnswer>()
      questions.push({ card, context, answer })
      came.open()
      return answer.opened
    },
  }
  /** The next question, once it is put. */
  const next = async (index: number) => {
    while (questions.length <= index) {
      await came.opened
      came = createLatch()
    }
    return questions[index] as (typeof questions)[number]
  }
  return { ...self, questions, next }
}

const always = (answer: ApproverAnswer): Approver => ({ name: 'always', ask: async () => answer })

async function bench(options: ApprovalQueueOptions = {}) {
  const clock = createFakeClock(1_000)
  const session = await openSession(createMemoryStore(), 's', { create: true })
  const bodies: unknown[] = []
  const work = tool('work', async (args) => bodies.push(args), {
    effects: 'idempotent',
    presentCall: () => ({ card: 'generic', title: 'Work' }),
  })
  const { runtime, agent, run } = sessionRuntime(session, work)
  const queue = createApprovalQueue({ clock, ...options })
  runtime.provide('approval', queue)
  runtime.on('tools/pre-execute', asks)
  const of = (type: string) => session.events.filter((event) => event.type === type).map(({ data }) => data)
  return { session, queue, clock, runtime, agent, run, work, bodies, of }
}

describe('a request', () => {
  test('is logged between the call and its start, with what it is about and who decided', async () => {
    const { session, queue, run, of } = await bench()
    queue.attach(always({ outcome: 'allowed-once' }))
    await run(['work'])
    expect(session.events.map(({ type }) => type)).toEqual([
      'session/start',
      'tool/call',
      'approval/asked',
      'approval/decided',
      'tool/start',
      'tool/result',
    ])
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(of('approval/asked')).toEqual([
      {
        call: 2,
        id: expect.any(String),
        digest: hash,
        definition: hash,
        argumentsHash: hash,
        path: ['agent'],
        reason: 'house rule',
        displayReason: { en: 'May it?' },
        expiresAt: 1_801_000,
      },
    ])
    expect(of('approval/decided')).toEqual([
      { call: 2, id: (of('approval/asked')[0] as { id: string }).id, outcome: 'allowed-once', by: 'always' },
    ])
  })

  test('shows whoever decides all that it is about', async () => {
    const { queue, run } = await bench()
    const person = approver()
    queue.attach(person)
    const running = run(['work'])
    const { card, context, answer } = await person.next(0)
    expect(card).toMatchObject({
      tool: 'work',
      session: 's',
      call: 2,
      arguments: {},
      path: ['agent'],
      view: { title: 'Work' },
      askedAt: 1_000,
    })
    expect(context).toMatchObject({ position: 1, waiting: 1 })
    expect(Object.isFrozen(card)).toBe(true)
    answer.open({ outcome: 'rejected', note: 'not today' })
    const { results } = await running
    expect(results[0]?.result.content[0]).toMatchObject({ text: expect.stringContaining('They said: not today') })
  })

  test('that nobody can decide is denied at once, in the words of the host', async () => {
    const { run, bodies, of } = await bench({ noApprover: 'pass --approve ask.' })
    const { results } = await run(['work'])
    expect(results[0]?.result).toMatchObject({
      isError: true,
      error: { message: expect.stringContaining('pass --approve ask.'), info: { code: 'APPROVAL_UNAVAILABLE' } },
    })
    expect([bodies, of('approval/decided')]).toMatchObject([[], [{ outcome: 'unavailable', by: 'nobody' }]])
  })

  test('expires, and is denied', async () => {
    const { queue, clock, run, bodies, of } = await bench({ expiresMs: 5_000 })
    const person = approver()
    queue.attach(person)
    const running = run(['work'])
    const { context } = await person.next(0)
    clock.advance(5_000)
    expect((await running).results[0]?.result.error?.info?.code).toBe('APPROVAL_EXPIRED')
    expect([bodies, of('approval/decided')]).toMatchObject([[], [{ outcome: 'cancelled', expired: true }]])
    expect([context.signal.aborted, queue.pending, clock.pending]).toEqual([true, [], 0])
  })

  test('whose timer is late has expired all the same, for whoever watches and for whoever is asked', async () => {
    for (const decides of ['watcher', 'approver'] as const) {
      let now = 1_000
      const { queue, run, bodies } = await bench({ expiresMs: 5_000, clock: { now: () => now, after: () => () => undefined } })
      const person = approver()
      queue.attach(person)
      const running = run(['work'])
      const { card, answer } = await person.next(0)
      now = 6_000
      if (decides === 'approver') answer.open({ outcome: 'allowed-once' })
      else
        expect(queue.decide(card.id, { digest: card.digest, outcome: 'allowed-once', by: 'me' })).toEqual({
          accepted: false,
          message: 'The request has expired, and was denied.',
        })
      expect((await running).results[0]?.result.error?.info?.code).toBe('APPROVAL_EXPIRED')
      expect(bodies).toEqual([])
    }
  })

  test('may wait longer than a timer of the platform can, and for ever', async () => {
    const { queue, run, clock } = await bench({ expiresMs: 3_000_000_000 })
    const person = approver()
    queue.attach(person)
    const running = run(['work'])
    await person.next(0)
    clock.advance(2_999_999_999)
    expect(queue.pending).toHaveLength(1)
    clock.advance(1)
    await running
    expect(queue.pending).toEqual([])

    const forEver = await bench({ expiresMs: Number.POSITIVE_INFINITY })
    const other = approver()
    forEver.queue.attach(other)
    const waiting = forEver.run(['work'])
    const { card, answer } = await other.next(0)
    expect([card.expiresAt, forEver.clock.pending]).toEqual([undefined, 0])
    answer.open({ outcome: 'rejected' })
    await waiting
  })

  test('cannot be given no time', () => {
    for (const expiresMs of [0, -1, Number.NaN])
      expect(() => createApprovalQueue({ expiresMs })).toThrow('expiresMs must be a positive number')
  })

  test('is withdrawn when its caller goes, and later ones are not asked about', async () => {
    const { queue, run, bodies, of } = await bench()
    const person = approver()
    queue.attach(person)
    const caller = new AbortController()
    const running = run(['work', 'work'], caller.signal)
    const { context } = await person.next(0)
    caller.abort()
    const { results } = await running
    expect(results.map(({ result }) => result.error?.info?.code)).toEqual(['ABORTED_BEFORE_DISPATCH', 'ABORTED_BEFORE_DISPATCH'])
    expect([bodies, of('approval/decided'), person.questions.length]).toMatchObject([[], [{ outcome: 'cancelled', by: 'the caller' }], 1])
    expect(context.signal.aborted).toBe(true)
  })

  test('of a call that is not logged is asked about all the same, and leaves no trace in a log', async () => {
    const { session, queue, runtime } = await bench()
    queue.attach(always({ outcome: 'allowed-once' }))
    const other = { id: 'other' }
    runtime.child(other)
    expect((await runtime.call('work', {}, { agent: other })).isError).toBe(false)
    expect(session.events).toEqual([])
  })
})

describe('between a request and its log', () => {
  /** A session that writes when the test says so. */
  function slowSession(id: string) {
    const writes: { readonly type: string; readonly durable: boolean; readonly done: Latch }[] = []
    const came = new Map<string, Latch>()
    const wrote = (type: string) => came.get(type) ?? (came.set(type, createLatch()), came.get(type) as Latch)
    const log = async (type: string, _data: unknown, { durable = false } = {}) => {
      const done = createLatch()
      writes.push({ type, durable, done })
      wrote(type).open()
      await done.opened
      return { seq: writes.length }
    }
    return { id, log, openCalls: [], writes, began: (type: string) => wrote(type).opened }
  }

  function request(queue: ApprovalQueue, session: ReturnType<typeof slowSession>, signal = new AbortController().signal) {
    const exec = { name: 'work', callId: 'c', arguments: {}, callSeq: 1, agent: { id: session.id, session } }
    return queue.request({ exec: exec as never, signal })
  }

  const turns = async () => {
    for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve))
  }

  test('nobody is asked before the log has it, in the order in which requests came', async () => {
    const queue = createApprovalQueue()
    const person = approver()
    queue.attach(person)
    const [slow, quick] = [slowSession('slow'), slowSession('quick')]
    const answers = [request(queue, slow), request(queue, quick)]
    await slow.began('approval/asked')
    await turns()
    quick.writes[0]?.done.open()
    await turns()
    expect(person.questions).toEqual([])
    slow.writes[0]?.done.open()
    await quick.began('approval/asked')
    quick.writes[0]?.done.open()
    for (const [index, session] of [slow, quick].entries()) {
      const { card, answer } = await person.next(index)
      expect(card.session).toBe(session.id)
      answer.open({ outcome: 'rejected' })
      await session.began('approval/decided')
      session.writes[1]?.done.open()
    }
    expect(await Promise.all(answers)).toEqual([{ outcome: 'rejected' }, { outcome: 'rejected' }])
  })

  test('no answer is given before the decision is durable', async () => {
    const queue = createApprovalQueue()
    queue.attach(always({ outcome: 'allowed-once' }))
    const session = slowSession('s')
    let isAnswered = false
    const answer = request(queue, session).then((given) => {
      isAnswered = true
      return given
    })
    await session.began('approval/asked')
    session.writes[0]?.done.open()
    await session.began('approval/decided')
    await turns()
    expect([isAnswered, session.writes[1]?.durable]).toEqual([false, true])
    session.writes[1]?.done.open()
    expect(await answer).toEqual({ outcome: 'allowed-once' })
  })

  test('a caller who goes while the log is written is never asked for, and one who has gone leaves no trace', async () => {
    const queue = createApprovalQueue()
    const person = approver()
    queue.attach(person)
    const session = slowSession('s')
    const caller = new AbortController()
    const answer = request(queue, session, caller.signal)
    await session.began('approval/asked')
    caller.abort()
    session.writes[0]?.done.open()
    await session.began('approval/decided')
    session.writes[1]?.done.open()
    expect(await answer).toEqual({ outcome: 'cancelled' })
    expect(await request(queue, session, caller.signal)).toEqual({ outcome: 'cancelled' })
    expect([person.questions, session.writes.length, queue.pending]).toEqual([[], 2, []])
  })
})

describe('a decision', () => {
  async function asked() {
    const on = await bench()
    const heard: ApprovalEvent[] = []
    const came = createLatch<ApprovalCard>()
    on.queue.watch((event) => {
      heard.push(event)
      if (event.kind === 'asked') came.open(event.card)
    })
    const running = on.run(['work'])
    return { ...on, heard, running, card: await came.opened }
  }

  test('counts once, for what the card showed, and tells who comes too late who decided', async () => {
    const { queue, card, running, bodies, heard } = await asked()
    expect(queue.pending).toEqual([card])
    expect(queue.decide('nope', { digest: card.digest, outcome: 'allowed-once', by: 'me' })).toMatchObject({
      accepted: false,
      message: 'There is no such request.',
    })
    expect(queue.decide(card.id, { digest: 'other', outcome: 'allowed-once', by: 'me' })).toMatchObject({
      accepted: false,
      message: expect.stringContaining('other arguments'),
    })
    expect(queue.decide(card.id, { digest: card.digest, outcome: 'allowed-once', grant: true, by: 'me' })).toMatchObject({
      accepted: false,
    })
    expect(queue.decide(card.id, { digest: card.digest, outcome: 'rejected', by: 'me' })).toEqual({ accepted: true })
    expect(queue.decide(card.id, { digest: card.digest, outcome: 'allowed-once', by: 'you' })).toEqual({
      accepted: false,
      message: 'The request has been settled already: rejected, by me.',
    })
    await running
    expect(bodies).toEqual([])
    expect(heard.map(({ kind }) => kind)).toEqual(['asked', 'decided'])
  })

  test('with other arguments, or another definition, has another digest; order of properties is no difference', async () => {
    const { queue, runtime, agent } = await bench()
    const person = approver()
    queue.attach(person)
    const digests: string[] = []
    const described = (description: string) => createTestTool('other', undefined, { effects: 'unknown', description })
    for (const [index, [definition, args]] of (
      [
        [described('One.'), { a: 1, b: 2 }],
        [described('One.'), { b: 2, a: 1 }],
        [described('One.'), { a: 2, b: 1 }],
        [described('Two.'), { a: 1, b: 2 }],
      ] as const
    ).entries()) {
      const unregister = runtime.tools.register(definition)
      const running = runtime.call('other', args, { agent })
      const { card, answer } = await person.next(index)
      digests.push(card.digest)
      answer.open({ outcome: 'rejected' })
      await running
      unregister()
    }
    expect(digests[0]).toBe(digests[1])
    expect(new Set(digests).size).toBe(3)
  })

  test('cannot be had any more when the last who watched has gone', async () => {
    const on = await bench()
    const came = createLatch()
    const stop = on.queue.watch(() => came.open())
    const running = on.run(['work'])
    await came.opened
    stop()
    expect((await running).results[0]?.result.error?.info?.code).toBe('APPROVAL_UNAVAILABLE')
  })
})

describe('approvers', () => {
  test('are asked one request at a time, the oldest first, by all agents; each hears how many wait', async () => {
    const { queue, runtime } = await bench()
    const person = approver()
    queue.attach(person)
    const allCame = new Promise<void>((resolve) => queue.watch(() => queue.pending.length === 3 && resolve()))
    const agents = ['a', 'b', 'c'].map((id) => ({ id }))
    const calls = agents.map((agent) => {
      runtime.child(agent)
      return runtime.call('work', {}, { agent })
    })
    await allCame
    for (const [index, { id }] of agents.entries()) {
      const { card, context, answer } = await person.next(index)
      expect(card.path).toEqual([id])
      if (index > 0) expect(context).toMatchObject({ position: 1, waiting: 3 - index })
      answer.open({ outcome: index === 1 ? 'rejected' : 'allowed-once' })
    }
    expect((await Promise.all(calls)).map(({ isError }) => isError)).toEqual([false, true, false])
  })

  test('of several the first who decides counts, and the others are told that it needs no answer', async () => {
    const { queue, run, of } = await bench()
    const [one, two] = [approver('one'), approver('two')]
    queue.attach(one)
    queue.attach(two)
    const running = run(['work'])
    const [first, second] = [await one.next(0), await two.next(0)]
    second.answer.open({ outcome: 'allowed-once' })
    await running
    expect(first.context.signal.aborted).toBe(true)
    first.answer.open({ outcome: 'rejected' })
    expect(of('approval/decided')).toMatchObject([{ outcome: 'allowed-once', by: 'two' }])
  })

  test('one that cannot tell leaves it to the others; when nobody is left it is denied', async () => {
    const { queue, run, of } = await bench()
    queue.attach(always({ outcome: 'unavailable', note: 'no terminal' }))
    await run(['work'])
    expect(of('approval/decided')).toMatchObject([{ outcome: 'unavailable', note: 'no terminal' }])
    queue.attach(always({ outcome: 'allowed-once' }))
    await run(['work'])
    expect(of('approval/decided')[1]).toMatchObject({ outcome: 'allowed-once' })
  })

  test('one that breaks has decided nothing: the log says so, the body does not run, and the next request is asked about', async () => {
    const { queue, run, bodies, of } = await bench()
    let times = 0
    queue.attach({
      name: 'shaky',
      async ask() {
        if (times++ === 0) throw new Error('no line')
        return { outcome: 'allowed-once' }
      },
    })
    const { results } = await run(['work', 'work'])
    expect(results[0]?.result.error?.info).toMatchObject({ code: 'APPROVAL_UNAVAILABLE', reason: expect.stringContaining('no line') })
    expect(of('approval/decided')).toMatchObject([{ outcome: 'unavailable', by: 'shaky' }, { outcome: 'allowed-once' }])
    expect(bodies).toHaveLength(1)
  })

  test.each([undefined, {}, { outcome: 'yes' }, 'allowed-once', null])('one that says %j has decided nothing', async (answer) => {
    const { queue, run, bodies, of } = await bench()
    queue.attach({ name: 'odd', ask: async () => answer as never })
    const { results } = await run(['work'])
    expect(results[0]?.result.error?.info?.code).toBe('APPROVAL_UNAVAILABLE')
    expect([bodies, of('approval/decided')]).toMatchObject([[], [{ outcome: 'unavailable', by: 'odd' }]])
  })

  test('one that went is told so, and what it says then does not count', async () => {
    const { queue, run, bodies, of } = await bench()
    const [one, two] = [approver('one'), approver('two')]
    const detach = queue.attach(one)
    queue.attach(two)
    const running = run(['work'])
    const [first, second] = [await one.next(0), await two.next(0)]
    detach()
    expect([first.context.signal.aborted, second.context.signal.aborted]).toEqual([true, false])
    first.answer.open({ outcome: 'allowed-once' })
    await first.answer.opened
    expect(queue.pending).toHaveLength(1)
    second.answer.open({ outcome: 'rejected' })
    await running
    expect([bodies, of('approval/decided')]).toMatchObject([[], [{ outcome: 'rejected', by: 'two' }]])
  })

  test('the last one who goes leaves what waits denied', async () => {
    const { queue, run } = await bench()
    const person = approver()
    const detach = queue.attach(person)
    const running = run(['work'])
    await person.next(0)
    detach()
    expect((await running).results[0]?.result.error?.info?.code).toBe('APPROVAL_UNAVAILABLE')
  })
})

describe('a call that runs again after a crash', () => {
  /** The log of a call that was allowed and killed while it ran, opened anew. */
  async function killed(change: Parameters<typeof tool>[2] = {}) {
    const before = await bench()
    before.queue.attach(always({ outcome: 'allowed-once' }))
    await before.run(['work'])
    const store = createMemoryStore()
    await importSession(store, before.session.events.slice(0, 5), 'again')
    const session = await openSession(store, 'again')
    const person = approver()
    const bodies: number[] = []
    const again = tool('work', async () => bodies.push(1), { effects: 'idempotent', ...change })
    const { runtime, agent, run } = sessionRuntime(session, again)
    const queue = createApprovalQueue()
    const asked: string[] = []
    queue.attach({ name: 'no', ask: async ({ id }) => (asked.push(id), { outcome: 'rejected' }) })
    runtime.provide('approval', queue)
    runtime.on('tools/pre-execute', asks)
    const resume = () => resumeCalls(session, { tools: runtime.tools, agent, signal: new AbortController().signal })
    return { person, asked, bodies, resume, run }
  }

  test('is covered by the approval it had: nobody is asked again, and that call alone is', async () => {
    const { asked, bodies, resume, run } = await killed()
    await resume()
    expect([asked.length, bodies]).toEqual([0, [1]])
    await run(['work'])
    expect([asked.length, bodies]).toEqual([1, [1]])
  })

  test('is not covered when its definition is another one', async () => {
    const { bodies, resume } = await killed({ description: 'Something else.' })
    await resume()
    expect(bodies).toEqual([])
  })
})

describe('whoever watches', () => {
  test('hurts nobody by breaking', async () => {
    const { queue, run, bodies } = await bench()
    const warned = createLatch<Error>()
    process.once('warning', (warning) => warned.open(warning))
    queue.watch(() => {
      throw new Error('broken screen')
    })
    queue.watch((event) => {
      if (event.kind === 'asked') queue.decide(event.card.id, { digest: event.card.digest, outcome: 'allowed-once', by: 'me' })
    })
    await run(['work'])
    expect(bodies).toHaveLength(1)
    expect((await warned.opened).message).toBe('broken screen')
  })
})

test('whatever comes and goes meanwhile, each request is answered once, and allowed only by whoever allowed it', async () => {
  const step = <const A extends string>(...names: A[]) => fc.constantFrom(...names).map((name) => ({ do: name }))
  const choice = { which: fc.nat(3), allow: fc.boolean() }
  const action = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('call' as const), agent: fc.nat(2) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('decide' as const), ...choice, stale: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('answer' as const), ...choice, breaks: fc.boolean() }) },
    { weight: 3, arbitrary: step('watch', 'unwatch', 'attach', 'detach', 'expire', 'withdraw') },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
      const { queue, clock, runtime, bodies } = await bench({ expiresMs: 100 })
      const store = createMemoryStore()
      const agents = await Promise.all(['a', 'b', 'c'].map(async (id) => ({ id, session: await openSession(store, id, { create: true }) })))
      const [root, child, other] = agents as [object, object, object]
      runtime.child(root).child(child)
      runtime.child(other)
      const allowed = new Set<string>()
      const people: ReturnType<typeof approver>[] = []
      const answered = new Set<object>()
      const ends = { watch: [queue.watch(() => undefined)], attach: [] as (() => void)[] }
      const callers: AbortController[] = []
      const calls: Promise<unknown>[] = []
      const settle = () => new Promise((resolve) => setImmediate(resolve))
      const doIt = (each: (typeof actions)[number]) => {
        if (each.do === 'call') {
          const caller = new AbortController()
          callers.push(caller)
          const call = { type: 'tool-call', name: 'work', arguments: '{}' } as const
          const agent = agents[each.agent] as (typeof agents)[number]
          calls.push(runtime.tools.execute({ calls: [call, call], signal: caller.signal, agent, log: { turn: 1, step: 1 } }))
        } else if (each.do === 'decide') {
          const card = queue.pending[each.which % Math.max(1, queue.pending.length)]
          const outcome = each.allow ? 'allowed-once' : 'rejected'
          const isAccepted = card && queue.decide(card.id, { digest: each.stale ? 'x' : card.digest, outcome, by: 'p' }).accepted
          expect(isAccepted === true && each.stale).toBe(false)
          if (isAccepted && each.allow) allowed.add(card.id)
        } else if (each.do === 'answer') {
          const all = people.flatMap(({ questions }) => questions)
          const open = all.filter((each) => !answered.has(each))
          const question = open[each.which % Math.max(1, open.length)]
          if (question === undefined) return
          answered.add(question)
          if (each.breaks) question.answer.open({} as never)
          else question.answer.open({ outcome: each.allow ? 'allowed-once' : 'rejected' })
          const isOpen = !question.context.signal.aborted && clock.now() < Number(question.card.expiresAt)
          if (each.allow && !each.breaks && isOpen) allowed.add(question.card.id)
        } else if (each.do === 'watch') ends.watch.push(queue.watch(() => undefined))
        else if (each.do === 'attach') {
          const person = approver(`person ${people.length}`)
          people.push(person)
          ends.attach.push(queue.attach(person))
        } else if (each.do === 'unwatch') ends.watch.shift()?.()
        else if (each.do === 'detach') ends.attach.shift()?.()
        else if (each.do === 'expire') clock.advance(100)
        else callers.shift()?.abort()
      }
      for (const each of actions) {
        doIt(each)
        await settle()
        await settle()
      }
      for (const end of [...ends.watch, ...ends.attach]) end()
      await Promise.all(calls)
      const events = agents.flatMap(({ session }) => session.events)
      const asked = events.filter((event) => isEvent(event, 'approval/asked'))
      const decided = events.filter((event) => isEvent(event, 'approval/decided'))
      expect(new Set(asked.map(({ data }) => data.id)).size).toBe(asked.length)
      expect(decided.map(({ data }) => data.id).sort()).toEqual(asked.map(({ data }) => data.id).sort())
      for (const { data, seq, session } of decided) {
        const question = asked.find((each) => each.data.id === data.id)
        expect([question?.session, question && question.seq < seq]).toEqual([session, true])
        expect(data.outcome === 'allowed-once').toBe(allowed.has(data.id as string))
      }
      // A caller may go between the answer and the body: what is allowed need not run, what is not allowed never does.
      const starts = events.filter((event) => isEvent(event, 'tool/start'))
      for (const { data, session } of starts) {
        const decision = decided.find((each) => each.session === session && each.data.call === data.call)
        expect(decision?.data.outcome).toBe('allowed-once')
      }
      expect(bodies.length).toBeLessThanOrEqual(allowed.size)
      expect([queue.pending, clock.pending]).toEqual([[], 0])
      for (const { questions } of people) for (const { context } of questions) expect(context.signal.aborted).toBe(true)
    }),
    { numRuns: 100 },
  )
})
