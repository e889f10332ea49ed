// Runs one measure in this process, and tells what it found as the last line of its output: `node --expose-gc measure.mjs NAME [quick]`.

import { timingTable, valueTable, verdict } from './findings.mjs'
import { compare, median, perRound, ratio } from './harness.mjs'

const [file, speed] = process.argv.slice(2)
const isQuick = speed === 'quick'
const measure = await import(`./measures/${file}.mjs`)
const options = isQuick ? { rounds: 5, minMs: 15, warmUpMs: 200 } : { rounds: 31, minMs: 20, warmUpMs: 800 }
const found = await measure.run({ compare, median, perRound, ratio, verdict, timingTable, valueTable, options, isQuick })
console.log(`\n${JSON.stringify({ name: measure.name, target: measure.target, notes: measure.notes, ...found })}`)
process.exit(0) // some peers keep timers
