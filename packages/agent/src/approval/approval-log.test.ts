import type { ApprovalAnswer, ApprovalService } from '@dsh/tools/ports'
import { describe, expect, test } from 'vitest'
import { sessionRuntime, tool } from '../../test/tools.ts'
import { importSession } from '../log/import-session.ts'
import { createMemoryStore } from '../log/memory-store.ts'
import { openSession } from '../log/open-session.ts'
import { resumeCalls } from '../resume/resume-calls.ts'
import { approvalLog } from './approval-log.ts'

const asks = async () => ({ kind: 'ask', reason: 'house rule', displayReason: { en: 'May it?' } }) as const

/** A person who answers, and is counted. */
function person(answer: () => ApprovalAnswer): ApprovalService & { asked: number } {
  return {
    asked: 0,
    async request() {
      this.asked++
      return answer()
    },
  }
}

async function bench(answer: () => ApprovalAnswer) {
  const session = await openSession(createMemoryStore(), 's', { create: true })
  const service = person(answer)
  const bodies: number[] = []
  const work = tool('work', async () => bodies.push(1), { effects: 'idempotent' })
  const { runtime, agent, run } = sessionRuntime(session, work)
  runtime.provide('approval', approvalLog(session, service))
  runtime.on('tools/pre-execute', asks)
  const of = (type: string) => session.events.filter((event) => event.type === type).map(({ data }) => data)
  return { session, service, runtime, agent, run, work, bodies, of }
}

describe('approvals in the log', () => {
  test('what was asked and what was answered stand between the call and its start', async () => {
    const { session, run, of } = await bench(() => ({ outcome: 'allowed-once' }))
    await run(['work'])
    expect(session.events.map(({ type }) => type)).toEqual([
      'session/start',
      'tool/call',
      'approval/asked',
      'approval/decided',
      'tool/start',
      'tool/result',
    ])
    expect(of('approval/asked')).toEqual([{ call: 2, reason: 'house rule', displayReason: { en: 'May it?' } }])
    expect(of('approval/decided')).toEqual([{ call: 2, outcome: 'allowed-once' }])
  })

  test('a refusal keeps its note, and an expired request says so', async () => {
    const refused = await bench(() => ({ outcome: 'rejected', note: 'not today', expired: true }))
    await refused.run(['work'])
    expect(refused.of('approval/decided')).toEqual([{ call: 2, outcome: 'rejected', note: 'not today', expired: true }])
    expect(refused.bodies).toEqual([])
  })

  test('a service that breaks has decided nothing: the log says so, and the body does not run', async () => {
    const { run, bodies, of } = await bench(() => {
      throw new Error('no line')
    })
    const { results } = await run(['work'])
    expect([results[0]?.result.isError, bodies]).toEqual([true, []])
    expect(of('approval/decided')).toEqual([{ call: 2, outcome: 'unavailable' }])
  })

  test('calls that are not of this session pass through', async () => {
    const { session, runtime, service } = await bench(() => ({ outcome: 'allowed-once' }))
    const other = { id: 'other' }
    runtime.child(other)
    await runtime.call('work', {}, { agent: other })
    expect([service.asked, session.events.length]).toEqual([1, 0])
  })
})

describe('a call that runs again after a crash', () => {
  /** The log of a call that was allowed and killed while it ran, opened anew; the one before it was `first`. */
  async function killed(change: Parameters<typeof tool>[2] = {}) {
    const first = await bench(() => ({ outcome: 'allowed-once' }))
    await first.run(['work'])
    const store = createMemoryStore()
    await importSession(store, first.session.events.slice(0, 5), 'again')
    const session = await openSession(store, 'again')
    const service = person(() => ({ outcome: 'rejected' }))
    const bodies: number[] = []
    const { runtime, agent, run } = sessionRuntime(
      session,
      tool('work', async () => bodies.push(1), { effects: 'idempotent', ...change }),
    )
    runtime.provide('approval', approvalLog(session, service))
    runtime.on('tools/pre-execute', asks)
    const resume = () => resumeCalls(session, { tools: runtime.tools, agent, signal: new AbortController().signal })
    return { service, bodies, resume, run }
  }

  test('is covered by the approval it had: nobody is asked again', async () => {
    const { service, bodies, resume } = await killed()
    await resume()
    expect([service.asked, bodies]).toEqual([0, [1]])
  })

  test('the approval covers that call alone', async () => {
    const { service, bodies, resume, run } = await killed()
    await resume()
    await run(['work'])
    expect([service.asked, bodies]).toEqual([1, [1]])
  })

  test('the approval does not cover another definition', async () => {
    const { bodies, resume } = await killed({ description: 'Something else.' })
    await resume()
    expect(bodies).toEqual([])
  })
})
