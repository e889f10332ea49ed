/** What an AI SDK language model is, of interface V3 or V4: as much of it as is used. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>
}

/** Which interface a model speaks. They differ in how files are handed over. */
export type AiSdkVersion = 'v3' | 'v4'

/** @throws TypeError saying what was given. */
export function versionOf(model: unknown): AiSdkVersion {
  const { specificationVersion: version, doStream } = (model ?? {}) as Partial<AiSdkLanguageModel>
  if (typeof doStream !== 'function')
    throw new TypeError('fromAiSdk takes a language model of the AI SDK, such as createAnthropic()("name").')
  if (version === 'v3' || version === 'v4') return version
  throw new TypeError(
    `fromAiSdk takes language models of interface v3 and v4, and this one is of ${String(version)}: install another version of its package.`,
  )
}
