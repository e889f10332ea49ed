const STRING = /"(?:[^"\\]|\\.)*"/y
const SPACE = /\s*/y

/**
 * The text of a member of a JSON object, as it stands: numbers keep their digits, which JSON.parse would round. The last of
 * equal names counts, as in JSON.parse.
 * @param json - a valid JSON object.
 */
export function rawMember(json: string, name: string): string | undefined {
  let found: string | undefined
  let at = skip(SPACE, json, json.indexOf('{') + 1)
  while (json[at] === '"') {
    const keyEnd = skip(STRING, json, at)
    const key = JSON.parse(json.slice(at, keyEnd)) as string
    const start = skip(SPACE, json, skip(SPACE, json, keyEnd) + 1)
    const end = endOfValue(json, start)
    if (key === name) found = json.slice(start, end)
    at = skip(SPACE, json, end)
    if (json[at] === ',') at = skip(SPACE, json, at + 1)
  }
  return found
}

function endOfValue(json: string, start: number): number {
  let depth = 0
  for (let at = start; at < json.length; at++) {
    const char = json[at]
    if (char === '"') at = skip(STRING, json, at) - 1
    else if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') {
      if (depth === 0) return trimEnd(json, start, at)
      depth--
    } else if (char === ',' && depth === 0) return trimEnd(json, start, at)
  }
  return json.length
}

function trimEnd(json: string, start: number, end: number): number {
  return start + json.slice(start, end).trimEnd().length
}

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}
