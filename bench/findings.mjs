// What a measure finds, as data: verdicts on targets, and tables.

/**
 * What was found of one target.
 * @param {string} what
 * @param {number | { worst: number, wall: number, cpu: number, min: number, max: number }} measured - a ratio is held to the worse of wall and CPU time.
 * @param {{ atMost: number, unit?: string }} limit
 */
export function verdict(what, measured, { atMost, unit = '×' }) {
  const value = typeof measured === 'number' ? measured : measured.worst
  const detail =
    typeof measured === 'number' ? '' : `wall ${figure(measured.wall)}, CPU ${figure(measured.cpu)}; wall by round ${spread(measured)}`
  return { what, value, limit: atMost, unit, detail, reached: value <= atMost }
}

/** Timings side by side, with how often each takes as long as `base`. */
export function timingTable(timings, labels, base, title) {
  const isSlow = Object.values(timings).some(({ wall }) => wall >= 10_000)
  const [unit, size] = isSlow ? ['ms', 1_000] : ['µs', 1]
  const rows = Object.entries(timings).map(([key, { wall, cpu, min, max }]) => [
    labels[key] ?? key,
    figure(wall / size),
    figure(cpu / size),
    spread({ min: min / size, max: max / size }),
    figure(wall / timings[base].wall),
  ])
  return { title, head: ['', `wall, ${unit}`, `CPU, ${unit}`, 'wall, least to most', `wall, of ${labels[base] ?? base}`], rows }
}

export function valueTable(title, head, rows) {
  return { title, head, rows: rows.map((row) => row.map((cell) => (typeof cell === 'number' ? figure(cell) : cell))) }
}

/** Three significant digits. */
export function figure(value) {
  if (!Number.isFinite(value) || value === 0) return String(value)
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toFixed(Math.min(digits, 6))
}

function spread({ min, max }) {
  return `${figure(min)} to ${figure(max)}`
}
