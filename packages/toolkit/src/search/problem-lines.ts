/** What a search could not do, for whoever reads its result. */
export function problemLines(problems: readonly string[]): string[] {
  return problems.length === 0 ? [] : ['[not everything could be searched:', ...problems.map((problem) => `  ${problem}`), ']']
}
