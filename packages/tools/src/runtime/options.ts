import type { Clock, Logger } from '../contract/ports.ts'
import type { ScopeKey } from '../contract/tool.ts'
import type { RuntimeLimits } from '../pipeline/core.ts'
import { systemClock } from '../scope/system-clock.ts'

/** What a host may choose when it makes a runtime. */
export interface RuntimeOptions {
  /** Where contained failures and diagnostics are written. Default: warnings and errors go to the console. */
  readonly logger?: Logger
  /** Time. Default: the system's. */
  readonly clock?: Clock
  readonly limits?: Partial<RuntimeLimits>
  /**
   * Looks up a service that no scope provides: the container that the runtime lives in. Asked each time one is needed, for the
   * scope that needs it; undefined where there is none. Nothing tells the runtime of services that come and go there.
   */
  readonly services?: (name: string, scope: ScopeKey | undefined) => unknown
  readonly scheduling?: {
    /** Bodies of one batch that may run at once; a batch may override it. Default 10. */
    readonly maxParallelToolCalls?: number
  }
}

/** The options with every default filled in. */
export interface RuntimeSettings {
  readonly logger: Logger
  readonly clock: Clock
  readonly limits: RuntimeLimits
  readonly services: RuntimeOptions['services']
  readonly maxParallelToolCalls: number
}

/** Check the options and fill in the defaults. @throws TypeError naming the option. */
export function toSettings(options: RuntimeOptions): RuntimeSettings {
  const limits = { maxValueBytes: 64 * 1024 * 1024, stallWarningMs: 5_000, ...options.limits }
  const maxParallelToolCalls = options.scheduling?.maxParallelToolCalls ?? 10
  assertPositive('limits.maxValueBytes', limits.maxValueBytes)
  assertPositive('limits.stallWarningMs', limits.stallWarningMs)
  assertPositiveInteger('scheduling.maxParallelToolCalls', maxParallelToolCalls)
  if (options.services !== undefined && typeof options.services !== 'function') throw new TypeError('services must be a function.')
  return {
    logger: options.logger ?? consoleLogger,
    clock: options.clock ?? systemClock,
    limits,
    services: options.services,
    maxParallelToolCalls,
  }
}

/** @throws TypeError unless the value is a positive integer. */
export function assertPositiveInteger(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) throw new TypeError(`${name} must be a positive integer, and is ${String(value)}.`)
}

function assertPositive(name: string, value: number): void {
  if (!(typeof value === 'number' && Number.isFinite(value) && value > 0)) {
    throw new TypeError(`${name} must be a positive number, and is ${String(value)}.`)
  }
}

const consoleLogger: Logger = {
  debug() {},
  info() {},
  warn: (message, detail) => (detail === undefined ? console.warn(message) : console.warn(message, detail)),
  error: (message, detail) => (detail === undefined ? console.error(message) : console.error(message, detail)),
}
