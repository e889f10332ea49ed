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

/** What to do about a body that began, and whose outcome nobody knows. */
export function beforeRepeating(effects: ToolEffects = 'unknown'): string {
  switch (effects) {
    case 'none':
      return 'It has no effects: it is safe to call it again.'
    case 'idempotent':
      return 'It is safe to call it again.'
    case 'unknown':
      return 'Verify what it did before you repeat it.'
  }
}
