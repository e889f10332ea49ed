/** `@dsh/agent`: the agent loop, its models, approvals, and the session log. The SQLite store is behind `@dsh/agent/sqlite`, the events behind `/events`, wire formats behind `/formats`. */
export type { ApprovalCard } from './approval/approval-card.ts'
export {
  type ApprovalDecision,
  type ApprovalEvent,
  type ApprovalQueue,
  type ApprovalQueueOptions,
  createApprovalQueue,
  type DecisionReceipt,
} from './approval/approval-queue.ts'
export type { ApprovalRule, ApprovalRulesConfig, RuleCondition } from './approval/approval-rule.ts'
export { approvalRules } from './approval/approval-rules.ts'
export type { Approver, ApproverAnswer, ApproverContext } from './approval/approver.ts'
export type { GrantOffer } from './approval/grants.ts'
export { deriveMessages } from './history/derive-messages.ts'
export type { HistoryMessage, HistoryResult } from './history/history.ts'
export { type CallLife, CallLives, callLives, type Logged } from './log/call-life.ts'
export { EVENT_VERSION, isEvent, type SessionEvent, type SessionEventMap, type SessionEventOf } from './log/event.ts'
export { importSession } from './log/import-session.ts'
export { BrokenLineError, exportJsonLines, type ImportedLines, importJsonLines } from './log/json-lines.ts'
export { createMemoryStore } from './log/memory-store.ts'
export { type OpenSessionOptions, openSession } from './log/open-session.ts'
export { type ReadEvents, readEvents } from './log/read-events.ts'
export type { RepairedCall } from './log/repair.ts'
export type { Session } from './log/session.ts'
export { isSessionError, SessionError, type SessionErrorCode } from './log/session-error.ts'
export { assertSessionId, newSessionId } from './log/session-id.ts'
export type { AppendBatch, LeaseAnswer, ReadRange, SessionHolder, SessionStore, SessionSummary } from './log/store.ts'
export type { AgentEvent } from './loop/agent-event.ts'
export type { AgentInput, AgentLoop, AgentOptions, ChildAgentOptions, RunOptions } from './loop/agent-loop.ts'
export type { ModelPatience } from './loop/ask-model.ts'
export { createAgent } from './loop/create-agent.ts'
export type { TurnResult } from './loop/turn-result.ts'
export type { AiSdkLanguageModel } from './model/ai-sdk-model.ts'
export { fromAiSdk } from './model/from-ai-sdk.ts'
export { isModelError, ModelError, type ModelErrorCode, type ModelErrorDetail } from './model/model-error.ts'
export { recordModel } from './model/record-model.ts'
export { recordedModel } from './model/recorded-model.ts'
export { closeOpenCalls } from './resume/close-open-calls.ts'
export { type ResumedCall, type ResumeOptions, resumeCalls } from './resume/resume-calls.ts'
