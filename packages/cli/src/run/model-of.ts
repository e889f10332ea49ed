import { resolve } from 'node:path'
import { fromAiSdk, recordedModel, recordModel } from '@dsh/agent'
import type { ModelService } from '@dsh/tools/ports'
import type { CliIo } from '../cli-io.ts'
import { UsageError } from '../usage-error.ts'

/** Options that choose a model. */
export interface ModelOptions {
  /** `provider:name`. */
  readonly model?: string
  /** Append its answers to this file. */
  readonly record?: string
}

type Settings = { readonly apiKey?: string; readonly baseURL?: string }

/** Where the models of a provider come from. Its package is loaded when it is chosen. */
interface Provider {
  /** The variable that holds the key, and where one is had. */
  readonly key: string
  readonly from?: string
  /** The variable that holds another address. */
  readonly address: string
  readonly needsAddress?: true
  load(settings: Settings, name: string): Promise<Parameters<typeof fromAiSdk>[0]>
}

const PROVIDERS: ReadonlyMap<string, Provider> = new Map<string, Provider>([
  [
    'anthropic',
    {
      key: 'ANTHROPIC_API_KEY',
      from: 'https://console.anthropic.com/settings/keys',
      address: 'ANTHROPIC_BASE_URL',
      load: async (settings, name) => (await import('@ai-sdk/anthropic')).createAnthropic(settings)(name),
    },
  ],
  [
    'deepseek',
    {
      key: 'DEEPSEEK_API_KEY',
      from: 'https://platform.deepseek.com/api_keys',
      address: 'DEEPSEEK_BASE_URL',
      load: async (settings, name) => (await import('@ai-sdk/deepseek')).createDeepSeek(settings)(name),
    },
  ],
  [
    'openai',
    {
      key: 'OPENAI_API_KEY',
      from: 'https://platform.openai.com/api-keys',
      address: 'OPENAI_BASE_URL',
      load: async (settings, name) => (await import('@ai-sdk/openai')).createOpenAI(settings)(name),
    },
  ],
  [
    'compatible',
    {
      key: 'OPENAI_COMPATIBLE_API_KEY',
      address: 'OPENAI_COMPATIBLE_BASE_URL',
      needsAddress: true,
      load: async ({ apiKey, baseURL }, name) => {
        const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
        return createOpenAICompatible({ name: 'compatible', baseURL: baseURL as string, includeUsage: true, ...(apiKey && { apiKey }) })(
          name,
        )
      },
    },
  ],
])

/**
 * The model that the command line names, or else the variable DSH_MODEL.
 * @throws UsageError that says what can be named, which keys are there, and how to get one.
 */
export async function modelOf(io: CliIo, { model = io.env['DSH_MODEL'], record }: ModelOptions): Promise<ModelService> {
  if (model === undefined || model === '') throw new UsageError(nothingNamed(io))
  const [provider = '', name = ''] = [model.slice(0, model.indexOf(':')), model.slice(model.indexOf(':') + 1)]
  const service = provider === 'recorded' ? recordingOf(io, name) : await load(io, { provider, name, model })
  return record === undefined ? service : recordModel(service, resolve(io.cwd, record))
}

async function load(
  io: CliIo,
  { provider, name, model }: { readonly provider: string; readonly name: string; readonly model: string },
): Promise<ModelService> {
  const known = PROVIDERS.get(provider)
  if (known === undefined || name === '') {
    throw new UsageError(
      `--model ${model}: name it as provider:name. The providers are ${[...PROVIDERS.keys()].join(', ')}, and recorded:FILE.`,
    )
  }
  const { key, from, address, needsAddress } = known
  const apiKey = io.env[key]
  const baseURL = io.env[address]
  if (needsAddress && !baseURL)
    throw new UsageError(`--model ${model}: set ${address} to the address of the server, up to and with its /v1.`)
  if (!apiKey && !needsAddress) throw new UsageError(`--model ${model}: there is no key. Set ${key}; ${from} gives one. ${WITHOUT_KEY}`)
  return fromAiSdk(await known.load({ ...(apiKey && { apiKey }), ...(baseURL && { baseURL }) }, name))
}

function recordingOf(io: CliIo, file: string): ModelService {
  try {
    return recordedModel(resolve(io.cwd, file))
  } catch (error) {
    throw new UsageError(`--model recorded:${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

const WITHOUT_KEY = 'Without any, npm start in a checkout of dsh plays a recorded turn whose tools run for real.'

function nothingNamed({ env }: CliIo): string {
  const usable = [...PROVIDERS]
    .filter(([, { key, address, needsAddress }]) => env[needsAddress ? address : key])
    .map(([provider]) => provider)
  const keys = [...PROVIDERS].flatMap(([provider, { key, from }]) => (from ? [`  ${provider}: ${key} (${from})`] : []))
  if (usable.length > 0) return `Which model? Name it with --model provider:name, or in DSH_MODEL. There are keys for ${usable.join(', ')}.`
  return `Which model? Name it with --model provider:name, or in DSH_MODEL, and put its key into the environment:\n${keys.join('\n')}\n${WITHOUT_KEY}`
}
