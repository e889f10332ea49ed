import { ModelError, type ModelErrorCode } from './model-error.ts'

/** Who was asked. */
export interface AskedModel {
  readonly provider: string
  readonly modelId: string
}

/** What is read of an error of the AI SDK: it is recognised by its fields, because several copies of its packages may be installed. */
interface ApiCallError {
  readonly statusCode?: unknown
  readonly responseHeaders?: unknown
  readonly data?: unknown
  readonly message?: unknown
  readonly name?: unknown
  readonly isRetryable?: unknown
  readonly cause?: unknown
}

/** What went wrong, in words for a person. @param hasBegun - the provider had begun to answer. */
export function toModelError(thrown: unknown, model: AskedModel, hasBegun: boolean): ModelError {
  if (thrown instanceof ModelError) return thrown
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : { message: String(thrown) }) as ApiCallError
  const who = `${model.provider} (${model.modelId})`
  const said = saidBy(error)
  const status = typeof error.statusCode === 'number' ? error.statusCode : undefined
  if (status !== undefined && status >= 400) return ofStatus(status, { who, said, error })
  if (error.name === 'AI_LoadAPIKeyError')
    return new ModelError('MODEL_UNAUTHORIZED', `There is no key for ${who}: ${said}`, { retryable: false, cause: thrown })
  if (hasBegun || status !== undefined) {
    return new ModelError('MODEL_STREAM_BROKEN', `The answer of ${who} broke off: ${said}`, { retryable: true, cause: thrown })
  }
  if (error.isRetryable === true || isNetworkError(error)) {
    return new ModelError('MODEL_UNAVAILABLE', `${who} cannot be reached: ${said} Look at the network, and at the address.`, {
      retryable: true,
      cause: thrown,
    })
  }
  return new ModelError('MODEL_FAILED', `${who} could not be asked: ${said}`, { retryable: false, cause: thrown })
}

interface StatusError {
  readonly who: string
  readonly said: string
  readonly error: ApiCallError
}

function ofStatus(status: number, { who, said, error }: StatusError): ModelError {
  const make = (code: ModelErrorCode, message: string, retryable: boolean) => {
    const retryAfterMs = retryable ? retryAfter(error.responseHeaders) : undefined
    return new ModelError(code, message, { retryable, status, cause: error, ...(retryAfterMs !== undefined && { retryAfterMs }) })
  }
  if (status === 401 || status === 403) {
    return make(
      'MODEL_UNAUTHORIZED',
      `${who} does not accept the key (${status}): ${said} Check the key, and what it may be used for.`,
      false,
    )
  }
  if (status === 429) return make('MODEL_RATE_LIMITED', `${who} takes no more requests for now (429): ${said}`, true)
  if (status === 408 || status === 409 || status >= 500) return make('MODEL_UNAVAILABLE', `${who} failed (${status}): ${said}`, true)
  return make('MODEL_REQUEST_REFUSED', `${who} does not accept the request (${status}): ${said}`, false)
}

const MAX_SAID = 500

/** The provider's own words, or those of whatever broke. Never the request: it holds the key. */
function saidBy({ data, message, cause }: ApiCallError): string {
  const own = (data as { readonly error?: { readonly message?: unknown } | string } | undefined)?.error
  const words = typeof own === 'string' ? own : (own?.message ?? message)
  const why = cause instanceof Error && cause.message !== words ? `: ${cause.message}` : ''
  const text = `${typeof words === 'string' && words !== '' ? words : 'it does not say why'}${why}`
  const hidden = text
    .replace(/\b(sk|key|pk|Bearer)[-_ ][\w.-]{8,}/gi, '$1-…')
    .replace(/\s+/g, ' ')
    .trim()
  const cut = hidden.length > MAX_SAID ? `${hidden.slice(0, MAX_SAID)}…`.toWellFormed() : hidden
  return /[.!?…]$/.test(cut) ? cut : `${cut}.`
}

/** How long a provider asks to wait: in milliseconds, in seconds, or until a date. */
function retryAfter(headers: unknown): number | undefined {
  const { 'retry-after-ms': ms, 'retry-after': after } = (headers ?? {}) as Readonly<Record<string, string | undefined>>
  if (ms !== undefined && Number(ms) >= 0) return Number(ms)
  if (after === undefined) return undefined
  const wait = Number.isNaN(Number(after)) ? Date.parse(after) - Date.now() : Number(after) * 1_000
  return Number.isNaN(wait) ? undefined : Math.max(0, Math.round(wait))
}

const NETWORK_CODES = /^(ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR)/

function isNetworkError(error: ApiCallError): boolean {
  for (let at: unknown = error, depth = 0; typeof at === 'object' && at !== null && depth < 5; depth++) {
    const { code, cause, message } = at as { readonly code?: unknown; readonly cause?: unknown; readonly message?: unknown }
    if (typeof code === 'string' && NETWORK_CODES.test(code)) return true
    if (message === 'fetch failed' || message === 'terminated') return true
    at = cause
  }
  return false
}
