import type { Replacement } from './replacements.ts'

/** A text that is looked for, and what it becomes. */
export interface TextPair {
  readonly oldText: string
  readonly newText: string
}

/** Whether there has to be one match, or each that shares nothing with the one before is meant. */
export type MatchMode = 'one' | 'all'

/** How many matches are looked for. */
export const MAX_MATCHES: Readonly<Record<MatchMode, number>> = { one: 99, all: 1_000_000 }

/**
 * Where a text stands, from the front. Line breaks match whichever way each is written: a model is shown lines, not their
 * ends. What replaces a match has the line ends of the match, or else of the line it is in.
 * @param mode - `one` counts matches that share characters, too: there must be no other. No more are returned than the limit and one.
 */
export function findMatches(text: string, { oldText, newText }: TextPair, mode: MatchMode): Replacement[] {
  const wanted = withLineFeeds(oldText)
  const now = withLineFeeds(newText)
  if (!text.includes('\r\n')) return placesOf(text, wanted, mode).map((start) => ({ start, end: start + wanted.length, text: now }))
  const places = new PlaceMap(text)
  const breaks = new BreakFinder(text)
  return placesOf(withLineFeeds(text), wanted, mode).map((at) => {
    const start = places.inOriginal(at)
    const end = new PlaceMap(text, places).inOriginal(at + wanted.length)
    return { start, end, text: breaks.isCrlfAt(start) ? now.replaceAll('\n', '\r\n') : now }
  })
}

/** CRLF as LF. */
export function withLineFeeds(text: string): string {
  return text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text
}

function placesOf(text: string, wanted: string, mode: MatchMode): number[] {
  const places: number[] = []
  const step = mode === 'one' ? 1 : wanted.length
  for (let at = text.indexOf(wanted); at !== -1 && places.length <= MAX_MATCHES[mode]; at = text.indexOf(wanted, at + step)) places.push(at)
  return places
}

/** Tells how lines end. Asked for ascending places, so that a long line is looked through once. */
class BreakFinder {
  readonly #text: string
  readonly #last: number
  #next: number

  constructor(text: string) {
    this.#text = text
    this.#last = text.lastIndexOf('\n')
    this.#next = text.indexOf('\n')
  }

  /** Of the first line break from a place on, or else the last before it. */
  isCrlfAt(place: number): boolean {
    if (this.#next < place) this.#next = place > this.#last ? this.#last : this.#text.indexOf('\n', place)
    return this.#next > 0 && this.#text.charCodeAt(this.#next - 1) === 13
  }
}

/** Leads from places in a text whose CRLF are LF to those in the text itself. Asked in ascending order. */
class PlaceMap {
  readonly #text: string
  #next: number
  #passed = 0

  /** @param from - a map of the same text: to go on from where it is. */
  constructor(text: string, from?: PlaceMap) {
    this.#text = text
    this.#next = from ? from.#next : text.indexOf('\r\n')
    this.#passed = from ? from.#passed : 0
  }

  inOriginal(place: number): number {
    // A place right at a line break is before its CR.
    while (this.#next !== -1 && this.#next - this.#passed < place) {
      this.#passed++
      this.#next = this.#text.indexOf('\r\n', this.#next + 2)
    }
    return place + this.#passed
  }
}
