import { isAbsolute, relative, sep } from 'node:path'
import { ToolError } from '@dsh/tools'
import { printablePath } from '../text/printable-path.ts'

/** UTF-16 units of the longest path the system opens. A longer one is not even looked up: that takes the square of its names. */
export const MAX_PATH_CHARS = process.platform === 'win32' ? 32_767 : 4_096

/** Whether `path` is `folder` or lies below it, by name. */
export function contains(folder: string, path: string): boolean {
  const between = relative(folder, path)
  return between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between)
}

/** The failure of a path that leaves the workspace. */
export function outside(root: string, asked: string, throughLink = false): ToolError {
  const how = throughLink ? 'leads out of the workspace through a symbolic link' : 'is outside the workspace'
  return new ToolError(`The path ${printablePath(asked)} ${how}. Only files below ${printablePath(root)} can be reached.`, {
    code: 'OUTSIDE_WORKSPACE',
  })
}
