import { open } from 'node:fs/promises'

/** Write a large file block by block, so that the test itself holds little of it. */
export async function writeLarge(path: string, blocks: number, block: (index: number) => Buffer): Promise<void> {
  const handle = await open(path, 'w')
  for (let index = 0; index < blocks; index++) await handle.appendFile(block(index))
  await handle.close()
}
