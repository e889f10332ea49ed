import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ruleMatcher } from './rule-match.ts'

const rule = (decide: 'allow' | 'deny', ...command: string[]) =>
  ruleMatcher({ tool: 'bash', when: { run: { command } }, decide, reason: 'r' }, undefined)
const allows = (command: string, ...prefixes: string[]) => rule('allow', ...prefixes)('bash', { run: command })
const denies = (command: string, ...prefixes: string[]) => rule('deny', ...prefixes)('bash', { run: command })

describe('a rule that allows a command', () => {
  test.each([
    'git status',
    'git status -s',
    'git  status',
    'git\tstatus',
    "'git' status",
    '"git" status "a b"',
    'git status "a \\"b\\""',
    'git status; git status -s',
    'git status && git status',
  ])('takes %j, which begins with its words and does nothing else', (command) => expect(allows(command, 'git status')).toBe(true))

  test.each([
    'git statusx',
    'git',
    '',
    'git status; rm -rf /',
    'git status && rm x',
    'git status || rm x',
    'git status | sh',
    'git status & rm x',
    'git status\nrm x',
    'git status > ~/.bashrc',
    'git status < x',
    'git status $(rm x)',
    'git status "$(rm x)"',
    'git status `rm x`',
    'git status $HOME',
    'git status <(rm x)',
    '(git status)',
    'FOO=1 git status',
    'env git status',
    'git status \\',
    "git status 'a",
    'git status *',
    'git status {a,b}',
    'git status # x',
    'git\u00a0status',
    '\u2003git status',
    "g'i't stat\\us; rm x",
    '"g\\it" status',
    'git status\r\nrm x',
    'git status "a\\',
  ])('leaves %j to the next rule', (command) => expect(allows(command, 'git status')).toBe(false))

  test('needs every command of a line to be one that it names', () => {
    expect(allows('git status && npm test', 'git status', 'npm test')).toBe(true)
    expect(allows('git status && npm publish', 'git status', 'npm test')).toBe(false)
  })

  test('whatever is put behind an operator is not allowed with it', () => {
    const operator = fc.constantFrom(';', '&', '&&', '||', '|', '\n', '$(', '`', '>', '<(')
    fc.assert(
      fc.property(operator, fc.string(), (between, rest) => {
        expect(allows(`git status ${between}rm ${rest}`, 'git status')).toBe(false)
      }),
    )
  })
})

describe('a rule that denies a command', () => {
  test.each([
    'git push',
    'git push --force',
    'git\u00a0push',
    "'git' push",
    'g"i"t pu\\sh',
    'true; git push',
    'true && git push',
    'true | git push',
    'echo $(git push)',
    'echo "`git push`"',
    '(git push)',
    '{ git push; }',
    'FOO=1 git push',
    'env FOO=1 git push',
    'sudo git push',
    'sudo -u root git push',
    'timeout 5 git push',
    'timeout -k 3 5s git push',
    'nohup nice git push &',
    'sh -c "git push"',
    "bash -lc 'cd x; git push'",
    '/usr/bin/git push',
    'if true; then git push; fi',
    'xargs -n 1 git push',
    'git \\\n push',
    "$'git' push",
    '$"git" push',
    'gi\\\nt push',
    'A="x y" git push',
    "A='x; y' B+=1 c[1]=2 git push",
    'A="$(git push)"',
    '>x git push',
    '2>/dev/null git push',
    'git 2>&1 push',
    'git push<x',
    'cat <(git push)',
    'bash <<< "git push"',
    'bash <<EOF\ngit push\nEOF',
    'eval "git push"',
    'if false; then :; elif git push; then :; fi',
    'while ! time git push; do :; done',
    'timeout --signal KILL 5 git push',
    'flock /tmp/lock git push',
    'su me -c "git push"',
    'ssh host git push',
    'find . -exec git push \\;',
    'GIT push',
  ])('finds it in %j', (command) => expect(denies(command, 'git push')).toBe(true))

  test.each(['git pull', 'git pushx', 'echo git push', 'git commit -m "git push later"'])('leaves %j alone', (command) => {
    expect(denies(command, 'git push')).toBe(false)
  })

  test.each([
    ['./deploy.sh', './deploy.sh now'],
    ['./deploy.sh', 'bash /repo/deploy.sh'],
    ['/usr/bin/git push', 'git push'],
  ])('%j finds its program in whatever folder it lies: %j', (prefix, command) => expect(denies(command, prefix)).toBe(true))

  test.each(['1', 'sudo ', 'a="', "a='", '> ', '$(', '\\', 'A=1 '])('is done with a very long line of %j', (part) => {
    const line = part.repeat(300_000)
    expect([denies(line, 'git push'), allows(line, 'git push')]).toEqual([false, false])
  })

  test('finds it in a list of words, and in a list of commands', () => {
    const isDenied = (run: unknown) =>
      ruleMatcher({ tool: 'bash', when: { run: { command: 'git push' } }, decide: 'deny', reason: 'r' }, undefined)('bash', { run })
    expect(
      [
        ['git', 'push'],
        ['ls', 'git push'],
        ['git', 'pull'],
      ].map(isDenied),
    ).toEqual([true, true, false])
  })

  test('finds it behind whatever a shell runs first, in whatever quotes', () => {
    const before = fc.constantFrom(
      '',
      'true; ',
      'true &&',
      'ls|',
      '(',
      '{ ',
      'a\n',
      '$(',
      '`',
      'A=1 ',
      'A="b c" ',
      'sudo -u x ',
      'env -i ',
      '2>x ',
      '! ',
    )
    const spelling = fc.constantFrom('git push', "'git' push", 'g"i"t  push', 'git\tpush', '/bin/git push', 'git\u2003pu\\sh')
    fc.assert(
      fc.property(fc.array(before, { maxLength: 4 }), spelling, fc.string(), (all, words, rest) => {
        expect(denies(`${all.join('')}${words} ${rest.replace(/["'\\]/g, '')}`, 'git push')).toBe(true)
      }),
    )
  })
})
