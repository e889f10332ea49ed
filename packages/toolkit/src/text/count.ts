/** A number with its noun: `1 file`, `3,482 files`. */
export function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount.toLocaleString('en-US')} ${amount === 1 ? one : many}`
}
