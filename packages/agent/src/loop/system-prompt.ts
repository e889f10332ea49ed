import type { ScopeKey, ToolPromptSection } from '@dsh/tools'

/** Instructions first, then the sections that have something to say, in ascending `order`; equal ones as they come. Undefined for none. */
export function systemPrompt(
  instructions: string | undefined,
  sections: readonly ToolPromptSection[],
  scope: ScopeKey | undefined,
): string | undefined {
  const sorted = [...sections].sort((a, b) => a.order - b.order)
  const texts = [instructions ?? '', ...sorted.map((section) => section.render(scope))].map((text) => text.trim())
  const prompt = texts.filter((text) => text !== '').join('\n\n')
  return prompt === '' ? undefined : prompt
}
