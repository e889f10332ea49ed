// Which way imports may go. Rooms of `packages/tools/src`, lowest first: a room imports itself and lower ones.
const rooms = [
  'contract',
  'json',
  'outcome',
  'schema',
  'scope',
  'tool',
  'registry',
  'admission',
  'pipeline',
  'scheduler',
  'executor',
  'runtime',
]
const room = (names) => `^packages/tools/src/(${names.join('|')})/`
const notTest = '\\.test(-d)?\\.ts$'

const roomOrder = rooms.slice(0, -1).map((name, index) => ({
  name: `room-order-${name}`,
  comment: `${name}/ may import itself and lower rooms only: ${rooms.slice(0, index + 1).join(' < ')}.`,
  severity: 'error',
  from: { path: room([name]), pathNot: notTest },
  to: { path: room([...rooms.slice(index + 1), 'policies', 'testing']) },
}))

module.exports = {
  forbidden: [
    ...roomOrder,
    {
      name: 'no-cycles',
      comment: 'Files must not import each other in a circle, not even for types: one of them holds two things.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'policies-on-public-hooks',
      comment: 'A policy is a plugin on the public hooks: it sees contract, json and outcome only.',
      severity: 'error',
      from: { path: room(['policies']), pathNot: notTest },
      to: { path: '^packages/tools/src/', pathNot: room(['contract', 'json', 'outcome', 'policies']) },
    },
    {
      name: 'core-depends-on-nothing',
      comment: '@dsh/tools runs in browsers and edge runtimes: no package and no Node builtin.',
      severity: 'error',
      from: { path: '^packages/tools/src/', pathNot: notTest },
      to: { pathNot: '^packages/tools/src/' },
    },
    {
      name: 'testing-stays-out',
      comment: 'Nothing that ships imports testing/.',
      severity: 'error',
      from: { path: '^packages/tools/src/', pathNot: [notTest, room(['testing'])] },
      to: { path: room(['testing']) },
    },
    {
      name: 'toolkit-imports-tools-alone',
      comment: 'What packages need of each other they get through ports.',
      severity: 'error',
      from: { path: '^packages/toolkit/src/' },
      to: { path: '^packages/(?!toolkit/|tools/)' },
    },
    {
      name: 'through-the-door',
      comment: 'Another package is imported by its name, through a declared door.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/src/', pathNot: notTest },
      to: {
        path: '^packages/',
        pathNot: ['^packages/$1/', '^packages/[^/]+/dist/(index|.*/door|contract/(presentation|ports)|policies/[^/]+)\\.d?\\.?[jt]s$'],
      },
    },
    {
      name: 'resolvable',
      comment: 'An import must lead somewhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', 'dist'] },
    exclude: { path: '\\.test(-d)?\\.ts$|/test/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'default'] },
  },
}
