// Which way imports may go, for `npm run check`. Tests may import what they test and whatever helps them.

/** The rooms of `packages/tools/src`, lowest first: a room imports itself and lower ones. */
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
const core = '^packages/tools/src/'
const room = (names) => `${core}(${names.join('|')})/`
const test = ['\\.test(-d)?\\.tsx?$', '^packages/[^/]+/test/']

const roomOrder = rooms.map((name, index) => ({
  name: `room-order-${name}`,
  comment: `${name}/ may import itself and what is below: ${rooms.slice(0, index + 1).join(' < ')}. Move the shared part down.`,
  from: { path: room([name]), pathNot: test },
  to: { path: core, pathNot: room(rooms.slice(0, index + 1)) },
}))

const rules = [
  ...roomOrder,
  {
    name: 'a-room-of-its-own',
    comment: 'A new room needs its place in the order of .dependency-cruiser.cjs and a line in ARCHITECTURE.md.',
    from: { path: core },
    to: { path: `${core}[^/]+/`, pathNot: room([...rooms, 'policies', 'testing']) },
  },
  {
    name: 'policies-on-public-hooks',
    comment: 'A policy is a plugin on the public hooks, and whoever writes their own has no more: contract, json and outcome.',
    from: { path: room(['policies']), pathNot: test },
    to: { path: core, pathNot: room(['contract', 'json', 'outcome', 'policies']) },
  },
  {
    name: 'testing-without-policies',
    comment: 'Fakes and conformance suites are for every policy: they know none.',
    from: { path: room(['testing']), pathNot: test },
    to: { path: room(['policies']) },
  },
  {
    name: 'root-door-without-extras',
    comment: 'Policies and test helpers are behind doors of their own, so that who does not use them does not load them.',
    from: { path: `${core}index\\.ts$` },
    to: { path: room(['policies', 'testing']) },
  },
  {
    name: 'core-depends-on-nothing',
    comment: '@dsh/tools runs in browsers and edge runtimes: no package and no Node builtin. Take a port instead.',
    from: { path: core, pathNot: test },
    to: { pathNot: core },
  },
  {
    name: 'packages-one-way',
    comment: 'Only cli composes packages; the others import @dsh/tools alone. What they need of each other they get through ports.',
    from: { path: '^packages/(?!cli/)([^/]+)/' },
    to: { path: '^packages/', pathNot: '^packages/($1|tools)/' },
  },
  {
    name: 'through-the-door',
    comment: 'Import another package by its name, through index.ts or a door that its package.json declares.',
    from: { path: '^packages/([^/]+)/' },
    to: {
      path: '^packages/',
      pathNot: [
        '^packages/$1/',
        '^packages/[^/]+/dist/(index|[^/]+/door|contract/(presentation|ports)|log/event|policies/[^/]+)\\.d\\.ts$',
      ],
    },
  },
  {
    name: 'sources-not-dist',
    comment: 'A package imports its own sources: what was built may be older.',
    from: { path: '^packages/([^/]+)/src/', pathNot: test },
    to: { path: '^packages/$1/dist/' },
  },
  {
    name: 'tests-do-not-ship',
    comment: 'What ships does not import tests or their fixtures. Helpers for users belong behind @dsh/tools/testing.',
    from: { path: '^packages/[^/]+/src/', pathNot: test },
    to: { path: test },
  },
  {
    name: 'no-cycles',
    comment: 'Files must not import each other in a circle, not even for types: one of them holds two things.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'resolvable',
    comment: 'An import must lead somewhere. Is the package built, and is the dependency declared?',
    from: { pathNot: '^packages/cordis/test/alias/' }, // a test installs what these import
    to: { couldNotResolve: true },
  },
]

module.exports = {
  forbidden: rules.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    doNotFollow: { path: ['node_modules', '/dist/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'default'] },
  },
}
