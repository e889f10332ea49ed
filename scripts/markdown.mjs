/** A table; cells are Markdown. */
export const table = (head, rows) => [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n')

/** Code in a cell; nothing for nothing. */
export const code = (text) => (text === null ? '' : `\`${text}\``)

function cell(text) {
  return String(text)
    .replaceAll('\n', ' ')
    .replaceAll(/(?<!\\)\|/g, '\\|')
}
