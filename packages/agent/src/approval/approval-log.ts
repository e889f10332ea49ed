import type { ToolExecution } from '@dsh/tools'
import { digestOf } from '@dsh/tools/executor'
import type { ApprovalAnswer, ApprovalRequest, ApprovalService } from '@dsh/tools/ports'
import type { Session } from '../log/session.ts'

/**
 * Keep what an approval service is asked, and what it answers, in a session. A call that runs again after a crash is covered by the
 * approval it had. Requests of calls that are not logged in this session pass through.
 */
export function approvalLog(session: Session, service: ApprovalService): ApprovalService {
  return {
    async request(ask: ApprovalRequest): Promise<ApprovalAnswer> {
      const call = ask.exec.agent?.session === session ? ask.exec.callSeq : undefined
      if (call === undefined) return service.request(ask)
      if (await isCovered(session, ask.exec, call)) return { outcome: 'allowed-once' }
      const { reason, displayReason } = ask
      await session.log('approval/asked', { call, ...(reason !== undefined && { reason }), ...(displayReason && { displayReason }) })
      const answer = await answerOf(service, ask, session, call)
      const { outcome, note, expired } = answer
      const said = { ...(note !== undefined && { note }), ...(expired !== undefined && { expired }) }
      await session.log('approval/decided', { call, outcome, ...said }, { durable: true }) // what a person said is not asked for twice
      return answer
    },
  }
}

/** A service that breaks has decided nothing: the log says so, and the call fails closed. */
async function answerOf(service: ApprovalService, ask: ApprovalRequest, session: Session, call: number): Promise<ApprovalAnswer> {
  try {
    return await service.request(ask)
  } catch (error) {
    await session.log('approval/decided', { call, outcome: 'unavailable' })
    throw error
  }
}

/** Whether the call began under an approval before a crash, and would run as what was approved then. */
async function isCovered(session: Session, { definition }: Readonly<ToolExecution>, call: number): Promise<boolean> {
  const before = session.openCalls.find((life) => life.call.seq === call)
  if (before === undefined || definition === undefined) return false
  const isAllowed = before.decided.at(-1)?.data.outcome === 'allowed-once'
  return isAllowed && before.starts.at(-1)?.data.definition === (await digestOf(definition))
}
