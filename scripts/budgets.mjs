// The budgets of the house: how long a file or a function, how many imports, members and symbols, how deep a folder may be.
// Where a budget bites, the design is asking for two things to be parted. `node scripts/budgets.mjs [ROOT]`.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const BUDGETS = {
  fileLines: { stop: 500, target: 350 },
  functionLines: { stop: 60, target: 40 },
  imports: { stop: 12, target: 8 },
  classMembers: { stop: 25, target: 20 },
  doorSymbols: { stop: 80, target: 60 },
  depth: { stop: 2, target: 1 },
}

const root = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..')
const problems = []
const notes = []
const lines = { source: [], test: 0 }

for (const file of sourceFiles(join(root, 'packages'))) inspect(file)
const long = lines.source.filter((count) => count > BUDGETS.fileLines.target).length
if (lines.source.length > 0 && long / lines.source.length > 0.05) {
  problems.push(`${long} of ${lines.source.length} source files have more than ${BUDGETS.fileLines.target} lines; at most 5 % may.`)
}
const total = lines.source.reduce((sum, count) => sum + count, 0)
const median = [...lines.source].sort((a, b) => a - b)[Math.floor(lines.source.length / 2)] ?? 0
console.log(
  `${lines.source.length} source files, median ${median} lines; ${(lines.test / Math.max(1, total)).toFixed(2)} test lines a source line`,
)
for (const note of notes) console.log(`look again: ${note}`)
for (const problem of problems) console.error(`over budget: ${problem}`)
process.exit(problems.length > 0 ? 1 : 0)

function sourceFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (['node_modules', 'dist', 'cases'].includes(entry.name)) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return sourceFiles(path)
    return /\.tsx?$/.test(entry.name) && !/\.(gen|d)\.tsx?$/.test(entry.name) ? [path] : []
  })
}

function inspect(path) {
  const name = relative(root, path).split(sep).join('/')
  const text = readFileSync(path, 'utf8')
  const count = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  if (/\.test(-d)?\.tsx?$/.test(name) || name.includes('/test/')) {
    lines.test += count
    return
  }
  const tree = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  const isDoor = ['index.ts', 'door.ts'].includes(basename(path))
  lines.source.push(count)
  measure('fileLines', count, `${name} has ${count} lines`)
  const depth = name.split('/src/')[1]?.split('/').length - 1
  measure('depth', depth, `${name} lies ${depth} folders below src`)
  if (!isDoor) {
    const imports = tree.statements.filter(ts.isImportDeclaration).length
    measure('imports', imports, `${name} has ${imports} imports`)
  }
  if (/^packages\/[^/]+\/src\/index\.ts$/.test(name)) {
    const symbols = tree.statements
      .filter(ts.isExportDeclaration)
      .reduce((sum, { exportClause }) => sum + (exportClause?.elements?.length ?? 1), 0)
    measure('doorSymbols', symbols, `${name} exports ${symbols} symbols`)
  }
  visit(tree, name)
}

function visit(tree, name) {
  const lineOf = (position) => tree.getLineAndCharacterOfPosition(position).line + 1
  const walk = (node) => {
    if (ts.isFunctionLike(node) && node.body) {
      const start = lineOf(node.getStart())
      const length = lineOf(node.getEnd()) - start + 1
      measure('functionLines', length, `${name}:${start} is a function of ${length} lines`)
    }
    if (ts.isClassLike(node)) {
      const at = lineOf(node.getStart())
      measure('classMembers', node.members.length, `${name}:${at} is a class of ${node.members.length} members`)
    }
    ts.forEachChild(node, walk)
  }
  walk(tree)
}

function measure(budget, value, what) {
  const { stop, target } = BUDGETS[budget]
  if (value > stop) problems.push(`${what}; the limit is ${stop}. Part what are two things.`)
  else if (value > target) notes.push(`${what}; the target is ${target}.`)
}
