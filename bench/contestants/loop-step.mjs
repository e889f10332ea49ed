// One turn with one step of calls that may overlap, each of which takes a millisecond; then the words of the model.
export const CALLS = 100
export const CAP = 10
export const SLEEP = ({ n }) => new Promise((resolve) => setTimeout(() => resolve(n + 1), 1))

/** The same as the only thing its bodies have to do takes: no runtime can be quicker. */
export async function floor(cap) {
  const waiting = Array.from({ length: CALLS }, (_, n) => n)
  const worker = async () => {
    for (let n = waiting.pop(); n !== undefined; n = waiting.pop()) await SLEEP({ n })
  }
  await Promise.all(Array.from({ length: cap }, worker))
}
