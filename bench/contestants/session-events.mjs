// A session as agents leave it: turns of a message, an answer, and calls with their starts, results and cards.

/** Events of a session, from seq 1 on: at least so many, in whole turns. */
export function sessionEvents(session, count) {
  const events = []
  const add = (type, data) => events.push({ v: 1, session, seq: events.length + 1, time: 1_790_000_000_000 + events.length, type, data })
  for (let turn = 1; events.length < count; turn++) {
    add('user/message', { source: { kind: 'person', name: 'operator' }, content: [text(`Look into problem ${turn} and mend it.`)] })
    add('assistant/message', {
      turn,
      step: 1,
      content: [text('I shall read the files in question and search for where they are used. '.repeat(3))],
    })
    const first = events.length + 1
    for (let n = 0; n < 4; n++) add('tool/call', callOf(turn, n))
    for (let n = 0; n < 4; n++) add('tool/start', { call: first + n, attempt: 1, effects: 'none', definition: 'ab'.repeat(32) })
    for (let n = 0; n < 4; n++) add('tool/result', resultOf(first + n, turn, n))
  }
  return events
}

function callOf(turn, n) {
  const path = `packages/tools/src/room-${turn % 40}/file-${n}.ts`
  const view = { card: 'generic', kind: 'read', title: path, locations: [{ path }] }
  return {
    turn,
    step: 1,
    callId: `call_${turn}_${n}`,
    name: n % 2 === 0 ? 'read' : 'grep',
    arguments: JSON.stringify({ path, limit: 200 }),
    view,
  }
}

function resultOf(call, turn, n) {
  const lines = Array.from({ length: 8 }, (_, line) => ({
    number: line + 1,
    text: `export const value${line} = ${turn * n} // of room ${turn % 40}`,
  }))
  const content = [text(lines.map(({ number, text }) => `${number}\t${text}`).join('\n'))]
  const view = { card: 'read', path: `file-${n}.ts`, offset: 1, totalLines: 8, lines }
  return { call, callId: `call_${turn}_${n}`, isError: false, content, view }
}

function text(value) {
  return { type: 'text', text: value }
}
