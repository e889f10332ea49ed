import type { Host, Plugin } from '@dsh/tools'
import { assertNoProblems, isRecord, limitProblems, unknownKeys } from '../config-problems.ts'
import { jobKillTool } from './job-kill-tool.ts'
import { jobListTool } from './job-list-tool.ts'
import { jobOutputTool } from './job-output-tool.ts'
import { JobTable } from './job-table.ts'

/** What bounds background jobs. Whole numbers from 1 on. */
export interface JobToolsLimits {
  /** Jobs of one owner that run at the same time; 16. */
  readonly maxJobs?: number
  /** Jobs of one owner that are over and can still be read; 64. */
  readonly keptJobs?: number
  /** Bytes of a job's output that stay readable; 1,048,576. Up to twice as many are held. */
  readonly jobWindowBytes?: number
  /** Bytes that `job_output` shows at once; 32,000. */
  readonly jobOutputBytes?: number
  /** From TERM to KILL, in milliseconds; 3,000. */
  readonly killGraceMs?: number
}

/** How background jobs are bounded. */
export interface JobToolsConfig {
  readonly limits?: JobToolsLimits
}

const DEFAULTS: Required<JobToolsLimits> = {
  maxJobs: 16,
  keptJobs: 64,
  jobWindowBytes: 1_048_576,
  jobOutputBytes: 32_000,
  killGraceMs: 3_000,
}

/**
 * Provides the port `jobs`, by which commands are begun that run in the background, and registers `job_output`, `job_list` and `job_kill`.
 * A job belongs to the agent of the call that began it and ends with the agent's scope, or with this mount; a job that no agent began belongs
 * to the mount. Disposal waits for nothing: `stop` of the port tells when jobs are gone. Apply throws a TypeError that lists every problem of
 * the configuration.
 */
export const jobTools: Plugin<JobToolsConfig | void> = {
  name: 'toolkit-jobs',
  inject: ['tools', 'clock'],
  apply(host, config) {
    const limits = checkLimits(config)
    const table = new JobTable(host, limits)
    endWithOwners(host, table)
    host.provide('jobs', table)
    for (const tool of [jobOutputTool(table, limits.jobOutputBytes), jobListTool(table), jobKillTool(table)]) host.tools.register(tool)
  },
}

/** Nobody waits for these promises, and none rejects. */
function endWithOwners(host: Host, table: JobTable): void {
  host.effect(() => () => void table.close())
  host.on('tools/disposed', (key) => void table.leave(key))
}

/** The limits of a configuration that may come from anywhere. @throws TypeError that lists every problem at once. */
export function checkLimits(config: unknown = {}): Required<JobToolsLimits> {
  const problems = isRecord(config)
    ? [...unknownKeys(config, ['limits'], ''), ...limitProblems(config['limits'], DEFAULTS)]
    : ['it must be an object, such as { limits: { maxJobs: 4 } }']
  assertNoProblems('The job tools', problems)
  return { ...DEFAULTS, ...(config as JobToolsConfig).limits }
}
