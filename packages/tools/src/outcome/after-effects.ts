import type { ToolEffects } from '../contract/tool.ts'

/** What to say of the world after a body that began did not end well: nothing for one without effects. */
export function afterEffects(effects: ToolEffects = 'unknown'): string {
  switch (effects) {
    case 'none':
      return ''
    case 'idempotent':
      return 'It may have had effects; repeating it is safe.'
    case 'unknown':
      return 'It may have had effects.'
  }
}
