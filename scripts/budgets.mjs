// The budgets of the house: how long a file or a function, how many imports, members and symbols, how deep a folder may be.
// Where one bites, the design is asking for two things to be parted. `node scripts/budgets.mjs [ROOT]` tells what is over a limit
// (and fails), what is over a target (look again), and how many test lines there are.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const BUDGETS = {
  fileLines: { limit: 500, target: 350, think: 'Which two things does it hold? One file is one thing, named for it.' },
  functionLines: { limit: 60, target: 40, think: 'Which steps stand on another level than the rest? Give them a name of their own.' },
  imports: {
    limit: 12,
    target: 8,
    think: 'Does it do the work of several files, or is an object missing that would carry these together?',
  },
  classMembers: { limit: 25, target: 20, think: 'Which members are used together and apart from the rest? They are a class of their own.' },
  doorSymbols: { limit: 80, target: 60, think: 'What does every user need? The rest belongs behind a subpath.' },
  depth: { limit: 2, target: 1, think: 'A room is a folder, and its files lie in it.' },
}
/** At most this share of the source files may have more lines than the target. */
const LONG_FILES = 0.05

const root = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..')
const over = []
const lookAgain = []
const sourceLines = []
let testLines = 0

for (const file of typescriptBelow(join(root, 'packages'))) inspect(file)
measureLongFiles()
for (const note of lookAgain) console.log(`look again: ${note}`)
for (const problem of over) console.log(`over budget: ${problem}`)
console.log(summary())
process.exit(over.length > 0 ? 1 : 0)

function typescriptBelow(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (['node_modules', 'dist'].includes(entry.name)) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return typescriptBelow(path)
    return /(?<!\.gen|\.d)\.tsx?$/.test(entry.name) ? [path] : []
  })
}

function inspect(path) {
  const name = relative(root, path).split(sep).join('/')
  const text = readFileSync(path, 'utf8')
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  const inSrc = /^packages\/[^/]+\/src\/(.*)$/.exec(name)?.[1]
  if (inSrc === undefined || /\.test(-d)?\.tsx?$/.test(name)) {
    testLines += lines
    return
  }
  sourceLines.push(lines)
  measure('fileLines', lines, `${name} has ${lines} lines`)
  const depth = inSrc.split('/').length - 1
  measure('depth', depth, `${name} lies ${depth} folders below src`)
  const tree = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  if (inSrc === 'index.ts') {
    const symbols = tree.statements.reduce((sum, statement) => sum + exportedBy(statement), 0)
    measure('doorSymbols', symbols, `${name} exports ${symbols} symbols`)
    if (tree.statements.some((it) => ts.isExportDeclaration(it) && !it.exportClause)) {
      over.push(`${name} says \`export *\`: a door names what it exports, so that nothing leaves the package unseen.`)
    }
  } else if (basename(path) !== 'door.ts') {
    const imports = tree.statements.filter((it) => ts.isImportDeclaration(it) || (ts.isExportDeclaration(it) && it.moduleSpecifier)).length
    measure('imports', imports, `${name} has ${imports} imports`)
  }
  inspectInside(tree, name)
}

/** Functions, methods and classes, wherever they are. One that holds others counts whole. */
function inspectInside(tree, name) {
  const lineOf = (position) => tree.getLineAndCharacterOfPosition(position).line + 1
  const walk = (node) => {
    const at = `${name}:${lineOf(node.getStart())}`
    if (ts.isFunctionLike(node) && node.body) {
      const lines = lineOf(node.body.getEnd()) - lineOf(node.body.getStart()) + 1
      measure('functionLines', lines, `${at} ${node.name?.getText() ?? 'a function'} has ${lines} lines`)
    }
    if (ts.isClassLike(node)) {
      // An overload is no member of its own.
      const members = node.members.filter((it) => !ts.isSemicolonClassElement(it) && !(ts.isMethodDeclaration(it) && !it.body)).length
      measure('classMembers', members, `${at} ${node.name?.getText() ?? 'a class'} has ${members} members`)
    }
    ts.forEachChild(node, walk)
  }
  walk(tree)
}

function exportedBy(statement) {
  if (ts.isExportDeclaration(statement)) return statement.exportClause?.elements?.length ?? 1
  if (ts.isExportAssignment(statement)) return 1
  if (!statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return 0
  return ts.isVariableStatement(statement) ? statement.declarationList.declarations.length : 1
}

function measure(budget, value, what) {
  const { limit, target, think } = BUDGETS[budget]
  if (value > limit) over.push(`${what}; the limit is ${limit}. ${think}`)
  else if (value > target) lookAgain.push(`${what}; the target is ${target}.`)
}

function measureLongFiles() {
  const { target, think } = BUDGETS.fileLines
  const long = sourceLines.filter((lines) => lines > target).length
  if (long <= sourceLines.length * LONG_FILES) return
  over.push(`${long} of ${sourceLines.length} source files have more than ${target} lines; ${LONG_FILES * 100} % may. ${think}`)
}

function summary() {
  const total = sourceLines.reduce((sum, lines) => sum + lines, 0)
  const median = [...sourceLines].sort((a, b) => a - b)[Math.floor(sourceLines.length / 2)] ?? 0
  const ratio = (testLines / Math.max(1, total)).toFixed(2)
  return `${sourceLines.length} source files, median ${median} lines, ${ratio} test lines a source line, ${lookAgain.length} to look at again`
}
