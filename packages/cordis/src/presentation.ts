/** `@dsh/cordis/presentation`: the vocabulary of cards, for plugins that import it from `@deepseek-ai/dsh-tools/presentation`. */
export type * from '@dsh/tools/presentation'
