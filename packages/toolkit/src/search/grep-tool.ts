import { defineTool, type ToolDefinition } from '@dsh/tools'
import type { SearchMatchesResultView } from '@dsh/tools/presentation'
import { checkConfig, type FileToolsConfig } from '../config.ts'
import { printablePath } from '../text/printable-path.ts'
import { readSurroundings } from './far-match.ts'
import { type FileLineMatch, findMatches } from './find-matches.ts'
import { parseGlob } from './glob-pattern.ts'
import { checkPattern } from './grep-pattern.ts'
import { type GrepValue, grepSchema } from './grep-value.ts'
import { groupMatches } from './group-matches.ts'
import { cardFiles, renderGrep } from './render-grep.ts'
import { globBelow, locateSearch } from './search-folder.ts'

/** The tool `grep`: lines by content. @throws TypeError for a configuration that cannot work. */
export function grepTool(config: FileToolsConfig): ToolDefinition {
  const { root, limits } = checkConfig(config)
  return defineTool({
    name: 'grep',
    description: `Search the contents of the workspace's files for a regular expression (Rust syntax, within one line), grouped by file and sorted by path; shows at most ${limits.grepMatches} matching lines and says how many there are. Files that .gitignore hides, hidden files and binary files are left out: to search an ignored or hidden folder, name it as path.`,
    parameters: {
      pattern: { type: 'string', description: 'Regular expression, or plain text with literal.', required: true },
      path: { type: 'string', description: 'Folder or file to search, relative to the workspace root or absolute. Default: the root.' },
      glob: { type: 'string', description: 'Only files it fits, relative to path: "*.ts", "src/**", "!*.test.ts" for all others.' },
      ignoreCase: { type: 'boolean', description: 'Upper and lower case count as equal. Default false.' },
      literal: { type: 'boolean', description: 'The pattern is plain text, not a regular expression. Default false.' },
    },
    output: {
      schema: grepSchema,
      render: ({ pattern }, value) => [{ type: 'text', text: renderGrep(pattern, value) }],
      presentationMeta: (_args, { files, total, truncated }) => ({ files: cardFiles(files), total, truncated }),
    },
    effects: 'none',
    isConcurrencySafe: () => true, // no keys: a search sees each file before or after a write, never half of one, as files are replaced whole
    async execute(args, exec): Promise<GrepValue> {
      const { path = '.', glob } = args
      const query = {
        pattern: checkPattern(args.pattern),
        literal: args.literal ?? false,
        ignoreCase: args.ignoreCase ?? false,
        maxMatches: limits.grepMatches,
        maxLineChars: limits.grepLineChars,
        ...(glob === undefined ? {} : { glob: parseGlob(globBelow(root, path, glob)) }),
      }
      const place = await locateSearch(root, path, 'files and folders')
      const { matches, ...found } = await findMatches(place, query, exec.signal)
      const files = groupMatches(await withSurroundings(root, matches, limits.grepLineChars))
      return { path: place.path, files, ...found, truncated: found.total > matches.length }
    },
    presentCall: ({ pattern, path }) => ({ card: 'generic', kind: 'search', title: grepTitle(pattern, path) }),
    presentResult({ pattern, path }, result): SearchMatchesResultView | undefined {
      if (result.isError || result.meta === undefined) return undefined
      const meta = result.meta as unknown as Pick<SearchMatchesResultView, 'files' | 'total' | 'truncated'>
      return { card: 'search', shape: 'matches', title: grepTitle(pattern, path), ...meta }
    },
  })
}

async function withSurroundings(root: string, matches: readonly FileLineMatch[], maxChars: number): Promise<FileLineMatch[]> {
  const whole: FileLineMatch[] = []
  for (const match of matches) {
    const surroundings = match.far === undefined ? undefined : await readSurroundings(root, match.path, match.far, maxChars)
    whole.push(surroundings === undefined ? match : { path: match.path, line: match.line, ...surroundings })
  }
  return whole
}

function grepTitle(pattern: string, path: string | undefined): string {
  return `${printablePath(pattern)}${path === undefined ? '' : ` in ${printablePath(path)}`}`
}
