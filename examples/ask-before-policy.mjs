// A policy that asks a person before tools with unknown effects run. Without a terminal to ask on, such calls are denied.
// Try it:  npm start -- --use examples/ask-before-policy.mjs call read --arg path=LICENSE   (read has no effects: it is not asked about)
export default {
  name: 'ask-before',
  inject: ['tools'],
  apply(host) {
    host.on('tools/pre-execute', async (exec, next) => {
      const decision = await next()
      if (decision.kind !== 'allow') return decision
      const effects = host.tools.get(exec.name, exec.agent, exec.toolSet)?.effects ?? 'unknown'
      if (effects === 'none') return decision
      return {
        kind: 'ask',
        reason: `effects of ${exec.name}: ${effects}`,
        displayReason: { en: `It may change something (effects: ${effects}).` },
      }
    })
  },
}
