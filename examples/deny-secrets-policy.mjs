// A policy of your own: it keeps files that look like secrets from being read.
// Try it:  npm start -- --use examples/deny-secrets-policy.mjs call read --arg path=.env
//
// Two hooks. A guard refuses calls that name such a file: it can refuse and never allow, so no other plugin can undo it. A
// search names no file beforehand, so its result is looked at when it is there, and blocked before anybody reads it.
// A policy sees names: a link with a harmless name gets past this one. What must never leak belongs outside the workspace.
const SECRET = /(^|[/\\])(\.env(\..*)?|.*\.pem|id_[a-z0-9]+)$/i

export default {
  name: 'deny-secrets',
  inject: ['tools'],
  apply(host) {
    host.tools.guard((exec) => {
      const { path } = exec.arguments
      return typeof path === 'string' && SECRET.test(path) ? `${path} may hold secrets; ask a person for what you need from it` : undefined
    })
    host.on('tools/post-execute', async (_exec, result, next) => {
      const decision = await next()
      const secret = result.isError ? undefined : secretPath(result.value)
      if (secret === undefined || decision.kind === 'block') return decision
      const text = `Error: it has lines of ${secret}, which may hold secrets. Search elsewhere, or leave such files out with a glob.`
      return { kind: 'block', feedback: [{ type: 'text', text }] }
    })
  },
}

/** The first `path` anywhere in a value that looks like a secret. */
function secretPath(value) {
  if (typeof value !== 'object' || value === null) return undefined
  if (typeof value.path === 'string' && SECRET.test(value.path)) return value.path
  for (const part of Object.values(value)) {
    const found = secretPath(part)
    if (found !== undefined) return found
  }
  return undefined
}
