import type { ContentBlock } from './content.ts'

/** Chooses the icon of a generic card. */
export type ToolCallKind = 'read' | 'edit' | 'delete' | 'move' | 'search' | 'execute' | 'fetch' | 'other'

/** A file a call reads or changes; `line` is 1-based. */
export type FileLocation = {
  readonly path: string
  readonly line?: number
}

/** One file change; `oldText` is null for a new file. */
export type FileDiff = {
  readonly path: string
  readonly oldText: string | null
  readonly newText: string
}

/** One line of a read window, with its 1-based number. */
export type ReadFileLine = {
  readonly number: number
  readonly text: string
}

/** The default card of a pending call. `locations` lets an editor follow along. */
export type GenericCallView = {
  readonly card: 'generic'
  readonly title: string
  readonly kind?: ToolCallKind
  readonly rawInput?: unknown
  readonly content?: readonly ContentBlock[]
  readonly locations?: readonly FileLocation[]
}

/** A pending shell command. */
export type TerminalCallView = {
  readonly card: 'terminal'
  readonly title: string
  readonly description?: string
  readonly cwd?: string
}

/** A pending file change. */
export type DiffCallView = {
  readonly card: 'diff'
  readonly title: string
  readonly diffs: readonly FileDiff[]
  readonly locations?: readonly FileLocation[]
}

/** How a pending call wants to be shown. */
export type ToolCallView = GenericCallView | TerminalCallView | DiffCallView

/** The default card of a settled call. */
export type GenericResultView = {
  readonly card: 'generic'
  readonly title?: string
  readonly content?: readonly ContentBlock[]
}

/** Captured output and exit state of a command. */
export type TerminalResultView = {
  readonly card: 'terminal'
  readonly title?: string
  readonly output?: string
  readonly exitCode?: number
  readonly signal?: string
}

/** The change as it was applied. */
export type DiffResultView = {
  readonly card: 'diff'
  readonly title?: string
  readonly diffs: readonly FileDiff[]
}

/** One matching line; `lineNumber` is 1-based. */
export type SearchLineMatch = {
  readonly lineNumber: number
  readonly line: string
}

/** The matches of one file. */
export type SearchFileMatches = {
  readonly path: string
  readonly matches: readonly SearchLineMatch[]
}

/** Matches grouped by file. `total` counts all of them, also those left out when `truncated`. */
export type SearchMatchesResultView = {
  readonly card: 'search'
  readonly shape: 'matches'
  readonly title?: string
  readonly files: readonly SearchFileMatches[]
  readonly truncated: boolean
  readonly total: number
}

/** A flat list of paths. `total` counts all of them, also those left out when `truncated`. */
export type SearchPathsResultView = {
  readonly card: 'search'
  readonly shape: 'paths'
  readonly title?: string
  readonly paths: readonly string[]
  readonly truncated: boolean
  readonly total: number
}

/** A window of a file. `offset` is the 1-based first line asked for, kept also when `lines` is empty. */
export type ReadResultView = {
  readonly card: 'read'
  readonly title?: string
  readonly path: string
  readonly offset: number
  readonly lines: readonly ReadFileLine[]
  /** Lines of the whole file; absent when they were not all counted. */
  readonly totalLines?: number
  readonly lang?: string
  readonly content?: readonly ContentBlock[]
}

/** One source of a web search. */
export type WebSource = {
  readonly url: string
  readonly title?: string
  readonly snippet?: string
  readonly publishedAt?: string
}

/** A settled web search. */
export type WebSearchResultView = {
  readonly card: 'web'
  readonly kind: 'search'
  readonly title?: string
  readonly sources: readonly WebSource[]
  readonly answer?: string
  readonly truncated: boolean
}

/** A settled web fetch. */
export type WebFetchResultView = {
  readonly card: 'web'
  readonly kind: 'fetch'
  readonly title?: string
  readonly url: string
  readonly statusCode: number
  readonly truncated: boolean
}

/** How a settled call wants to be shown; it replaces the pending view. */
export type ToolResultView =
  | GenericResultView
  | TerminalResultView
  | DiffResultView
  | SearchMatchesResultView
  | SearchPathsResultView
  | ReadResultView
  | WebSearchResultView
  | WebFetchResultView
