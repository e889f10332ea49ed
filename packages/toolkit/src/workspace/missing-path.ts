import { opendir, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { ToolError } from '@dsh/tools'
import { printablePath } from '../text/printable-path.ts'
import { contains, outside } from './boundary.ts'
import { nearestNames } from './nearest-names.ts'

const MAX_ENTRIES = 2_000
const MAX_LISTED = 5

interface Missing {
  readonly root: string
  readonly realRoot: string
  readonly asked: string
  readonly lexical: string
  /** The spelling of the root that `lexical` lies below. */
  readonly home: string
  readonly cause: NodeJS.ErrnoException
}

/** The failure of a path inside the workspace that cannot be resolved, with the nearest names that do exist. */
export async function missingPath(missing: Missing): Promise<ToolError> {
  const { root, realRoot, asked, lexical, home, cause } = missing
  const failure = (message: string, code: string) => new ToolError(message, { code, cause })
  const name = printablePath(asked)
  if (cause.code === 'EACCES' || cause.code === 'EPERM')
    return failure(`${name} may not be read by this user. Try another file.`, 'PERMISSION_DENIED')
  if (cause.code === 'ENAMETOOLONG') return pathTooLong(cause)
  if (cause.code === 'ELOOP') return failure(`${name} is a symbolic link that leads back to itself. Try another file.`, 'FILE_NOT_FOUND')
  if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') return failure(`${name} cannot be reached: ${cause.code}.`, 'FILE_NOT_FOUND')

  const ancestor = await nearestAncestor(lexical, home)
  if (!contains(realRoot, ancestor.real)) return outside(root, asked, true)
  const hint = await hintFrom(ancestor, home, lexical)
  return failure(`There is no ${name} in ${printablePath(root)}. ${hint}`, 'FILE_NOT_FOUND')
}

/** The failure of a path that no file can have here. */
export function pathTooLong(cause?: unknown): ToolError {
  return new ToolError('The path is longer than this system allows. Check it for pasted text.', { code: 'INVALID_PATH', cause })
}

interface Ancestor {
  readonly lexical: string
  readonly real: string
}

async function nearestAncestor(path: string, home: string): Promise<Ancestor> {
  for (let lexical = path; lexical !== home; lexical = dirname(lexical)) {
    const real = await realpath(lexical).catch(() => undefined) // missing as well: look one folder up
    if (real !== undefined) return { lexical, real }
  }
  return { lexical: home, real: await realpath(home) }
}

async function hintFrom(ancestor: Ancestor, home: string, wanted: string): Promise<string> {
  const display = (path: string) => printablePath(relative(home, path) || '.')
  if (!(await stat(ancestor.real)).isDirectory()) return `${display(ancestor.lexical)} is a file, not a folder.`
  const next = relative(ancestor.lexical, wanted).split(sep)[0] as string
  const names = await entryNames(ancestor.real)
  if (names === undefined) return `${display(ancestor.lexical)} cannot be listed by this user.`
  const near = nearestNames(next, names).filter((name) => name !== next)
  if (near.length > 0) return `Did you mean ${near.map((name) => display(join(ancestor.lexical, name))).join(' or ')}?`
  if (names.includes(next)) return `${display(join(ancestor.lexical, next))} is a symbolic link to something that does not exist.`
  return `${listing(display(ancestor.lexical), names)} Use glob to find it.`
}

function listing(folder: string, names: readonly string[]): string {
  const holder = folder === '.' ? 'The workspace root' : `The folder ${folder}`
  if (names.length === 0) return `${holder} is empty.`
  const rest = names.length - MAX_LISTED
  const listed = names.toSorted().slice(0, MAX_LISTED).map(printablePath).join(', ')
  return `${holder} holds ${listed}${rest > 0 ? ` and ${rest === MAX_ENTRIES - MAX_LISTED ? 'many' : rest} more` : ''}.`
}

/** Names in a folder, up to a bound; undefined when it cannot be listed, for a hint is not worth a second failure. */
async function entryNames(folder: string): Promise<string[] | undefined> {
  const names: string[] = []
  try {
    for await (const entry of await opendir(folder)) {
      names.push(entry.name)
      if (names.length === MAX_ENTRIES) break
    }
  } catch {
    return undefined
  }
  return names
}
