const SCALAR_END = /[\s,}\]]/g
const NO_SPACE = /[^ \t\r\n]/g

/**
 * The text of a member of a JSON object, as it stands: numbers keep their digits, which JSON.parse would round. The last of
 * equal names counts, as in JSON.parse.
 * @param json - a valid JSON object.
 */
export function rawMember(json: string, name: string): string | undefined {
  let found: string | undefined
  let at = search(NO_SPACE, json, json.indexOf('{') + 1)
  while (json[at] === '"') {
    const keyEnd = afterString(json, at)
    const start = search(NO_SPACE, json, json.indexOf(':', keyEnd) + 1)
    const end = afterValue(json, start)
    if (JSON.parse(json.slice(at, keyEnd)) === name) found = json.slice(start, end)
    at = search(NO_SPACE, json, end)
    if (json[at] === ',') at = search(NO_SPACE, json, at + 1)
  }
  return found
}

/** Where the value that begins at `start` ends. */
function afterValue(json: string, start: number): number {
  if (json[start] === '"') return afterString(json, start)
  if (json[start] !== '{' && json[start] !== '[') return search(SCALAR_END, json, start)
  let depth = 0
  for (let at = start; ; at++) {
    const char = json[at]
    if (char === '"') at = afterString(json, at) - 1
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1
  }
}

/** Where the string that begins at `start` ends, its quote included. */
function afterString(json: string, start: number): number {
  for (let at = start + 1; ; at++) {
    if (json[at] === '"') return at + 1
    if (json[at] === '\\') at++
  }
}

/** Where the next character of a kind is, from a position on. */
function search(kind: RegExp, text: string, from: number): number {
  kind.lastIndex = from
  return kind.test(text) ? kind.lastIndex - 1 : text.length
}
