import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { expectTypeOf, test } from 'vitest'
import type { AiCallOptions } from './ai-prompt.ts'
import type { AiSdkLanguageModel } from './ai-sdk-model.ts'

test('a language model of the AI SDK is one that can be taken', () => {
  expectTypeOf<LanguageModelV3>().toExtend<AiSdkLanguageModel>()
})

test('what it is called with is what it takes, but for the parts, which are made by its own rules', () => {
  expectTypeOf<Omit<AiCallOptions, 'prompt' | 'tools'>>().toExtend<Omit<LanguageModelV3CallOptions, 'prompt' | 'tools'>>()
})
