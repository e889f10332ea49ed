// A policy that asks a person before a tool that may change something runs. Without a terminal to ask on, such calls are denied.
// Try it:  npm start -- --use examples/ask-before-policy.mjs --use examples/append-note-tool.mjs call append_note --arg text=hello
export default {
  name: 'ask-before',
  apply(host) {
    host.on('tools/pre-execute', async (exec, next) => {
      const decision = await next()
      const effects = exec.definition?.effects ?? 'unknown'
      if (decision.kind !== 'allow' || effects === 'none') return decision
      return {
        kind: 'ask',
        reason: `effects of ${exec.name}: ${effects}`,
        displayReason: { en: `It may change something (effects: ${effects}).` },
      }
    })
  },
}
