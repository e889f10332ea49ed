import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ApprovalRule, newSessionId, recordedModel } from '@dsh/agent'
import type { CliIo } from '../cli-io.ts'
import { demoTools } from '../demo/demo-tools.ts'
import type { Workspace } from '../host/workspace.ts'
import { withSession } from '../session/with-session.ts'
import { canAsk } from '../terminal/terminal-approver.ts'
import { printableLine } from '../text/printable.ts'
import { runInSession } from './run-command.ts'

const ANSWERS = fileURLToPath(new URL('../../demo/answers.jsonl', import.meta.url))
const PROMPT = 'What happens to a tool call between the model and its result? Note it down.'

/** Where the demo may write. */
const SCRATCH = join('.dsh', 'demo')
const NOTES = '# How a call is decided\n\n(nothing yet)\n'

/** The rules of the demo: its scratch folder may be written, where somebody can be asked with their leave, and nothing else. */
export function demoRules(io: CliIo): readonly ApprovalRule[] {
  const note = { path: { path: `${SCRATCH}/**` } }
  const inScratch = canAsk(io)
    ? ({ decide: 'ask', reason: 'It changes a file of the scratch folder.' } as const)
    : ({ decide: 'allow', reason: 'The demo may write in its scratch folder.' } as const)
  return [
    { tool: 'edit', when: note, ...inScratch },
    { tool: 'edit', decide: 'deny', reason: `The demo writes in ${SCRATCH} alone.` },
  ]
}

/** `dsh` alone, in a checkout: a recorded model takes a turn, and its calls run for real on the checkout. @returns the exit code. */
export async function demoCommand(io: CliIo, workspace: Workspace): Promise<number> {
  const { root, runtime } = workspace
  io.stderr.write(`A recorded model works on ${printableLine(root)}; its tool calls are run for real.\n`)
  io.stderr.write(`Let a real one work: dsh run "PROMPT" --model provider:name (dsh --help says more)\n\n> ${PROMPT}\n`)
  await runtime.plugin(demoTools)
  const model = recordedModel(ANSWERS)
  return withSession(io, root, `demo-${newSessionId()}`, async (session) => {
    await mkdir(join(root, SCRATCH), { recursive: true })
    await writeFile(join(root, SCRATCH, 'notes.md'), NOTES)
    return runInSession(io, workspace, { session, model, input: PROMPT, options: {} })
  })
}

/** Whether a folder is what the demo is about: a checkout of dsh. */
export function isCheckout(root: string): boolean {
  return existsSync(join(root, 'packages', 'cli', 'demo', 'answers.jsonl'))
}
