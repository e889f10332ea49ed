// A policy of your own: a guard that keeps secrets out of reach. It can refuse and never allow, so no other plugin can undo it.
// Try it:  npm start -- --use examples/deny-secrets-policy.mjs call read --arg path=.env
const SECRET = /(^|[/\\])(\.env(\..*)?|.*\.pem|id_[a-z0-9]+)$/i

export default {
  name: 'deny-secrets',
  inject: ['tools'],
  apply(host) {
    host.tools.guard((exec) => {
      const { path } = exec.arguments
      return typeof path === 'string' && SECRET.test(path) ? `${path} may hold secrets; ask a person for what you need from it` : undefined
    })
  },
}
