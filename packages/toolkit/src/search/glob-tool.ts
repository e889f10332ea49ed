import { defineTool, type ToolDefinition } from '@dsh/tools'
import type { SearchPathsResultView } from '@dsh/tools/presentation'
import { checkConfig, type FileToolsConfig } from '../config.ts'
import { count } from '../text/count.ts'
import { printablePath } from '../text/printable-path.ts'
import { findFiles } from './find-files.ts'
import { parseGlob } from './glob-pattern.ts'
import { problemLines } from './problem-lines.ts'
import { globBelow, locateSearch } from './search-folder.ts'

/** What `glob` returns to a program. */
export interface GlobValue {
  /** The folder searched, relative to the workspace root; `.` is the root. */
  readonly path: string
  /** The first files by path (code units), relative to the workspace root, with forward slashes. */
  readonly paths: readonly string[]
  /** All files the pattern matches, also those left out. */
  readonly total: number
  readonly truncated: boolean
  /** What could not be read. */
  readonly problems: readonly string[]
}

const globSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    path: { type: 'string', required: true },
    paths: { type: 'array', items: { type: 'string' }, required: true },
    total: { type: 'integer', required: true, description: 'All matching files, also those left out.' },
    truncated: { type: 'boolean', required: true },
    problems: { type: 'array', items: { type: 'string' }, required: true, description: 'What could not be read.' },
  },
} as const

/** The tool `glob`: files by name. @throws TypeError for a configuration that cannot work. */
export function globTool(config: FileToolsConfig): ToolDefinition {
  const { root, limits } = checkConfig(config)
  return defineTool({
    name: 'glob',
    description: `Find files of the workspace by name, sorted by path; shows at most ${limits.globPaths}. "*" and "?" stay within a folder, "**" spans folders, "{a,b}" and "[a-z]" work; a pattern without "/" fits names at any depth. Files that .gitignore hides are left out: to look into an ignored folder, name it as path. Hidden files are left out unless the pattern spells the dot (".github/**").`,
    parameters: {
      pattern: { type: 'string', description: 'Glob, relative to path: "*.ts", "src/**/*.{ts,tsx}".', required: true },
      path: { type: 'string', description: 'Folder to search, relative to the workspace root or absolute. Default: the root.' },
    },
    output: {
      schema: globSchema,
      render: ({ pattern }, value) => [{ type: 'text', text: renderGlob(pattern, value) }],
      presentationMeta: (_args, { paths, total, truncated }) => ({ paths, total, truncated }),
    },
    effects: 'none',
    isConcurrencySafe: () => true, // no keys: a search sees each file before or after a write, never half of one, as files are replaced whole
    async execute(args, exec): Promise<GlobValue> {
      const { pattern, path = '.' } = args
      const place = await locateSearch(root, path, 'folders')
      const found = await findFiles(place, parseGlob(globBelow(root, path, pattern)), limits.globPaths, exec.signal)
      return { path: place.path, ...found, truncated: found.total > found.paths.length }
    },
    presentCall: ({ pattern, path }) => ({ card: 'generic', kind: 'search', title: globTitle(pattern, path) }),
    presentResult({ pattern, path }, result): SearchPathsResultView | undefined {
      if (result.isError || result.meta === undefined) return undefined
      const meta = result.meta as unknown as Pick<GlobValue, 'paths' | 'total' | 'truncated'>
      return { card: 'search', shape: 'paths', title: globTitle(pattern, path), ...meta }
    },
  })
}

function globTitle(pattern: string, path: string | undefined): string {
  return `${printablePath(pattern)}${path === undefined ? '' : ` in ${printablePath(path)}`}`
}

function renderGlob(pattern: string, value: GlobValue): string {
  return [...value.paths.map(printablePath), summary(pattern, value), ...problemLines(value.problems)].join('\n')
}

function summary(pattern: string, { path, paths, total, truncated }: GlobValue): string {
  if (truncated) return `[${paths.length} of ${count(total, 'file')} shown: narrow the pattern or the path to see the others]`
  if (total > 0) return `[${count(total, 'file')}]`
  return `[0 files: nothing in ${printablePath(path)} fits ${JSON.stringify(pattern)}; ignored files are left out, and hidden ones unless the pattern spells the dot]`
}
