/** Of the items of a long request, so many are worked on in one turn: a few milliseconds. */
export const ITEMS_A_TURN = 1_000;

const line: (() => void)[] = [];

function letOneGo(): void {
  line.shift()?.();
  if (line.length > 0) setImmediate(letOneGo);
}

/** Somebody has a turn next. */
export const isLongWorkUnderWay = (): boolean => line.length > 0;

/**
 * Resolves in a later turn of the event loop, one caller in each, in their order: between two pieces of long work
 * questions that have come meanwhile begin, however many such works are under way.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((go) => {
    line.push(go);
    if (line.length === 1) setImmediate(letOneGo);
  });

/**
 * What many may wait for together. Each of them goes on in a turn of its own: a thousand pages made in one turn would be in
 * memory together, and nobody else be heard meanwhile.
 */
export async function eachInTurn<T>(shared: Promise<T>): Promise<T> {
  const value = await shared;
  await nextTurn();
  return value;
}

/**
 * Calls `work` with `[0, 1,000)`, `[1,000, 2,000)` … up to `count`: the first piece at once, each of the others in a turn
 * of its own. Works of equal length end at about the same time, none long before the others.
 * @param work false: there is nothing more to do
 */
export async function inPieces(count: number, work: (from: number, to: number) => boolean): Promise<void> {
  for (let from = 0; from < count; from += ITEMS_A_TURN) {
    if (from > 0) await nextTurn();
    if (!work(from, Math.min(count, from + ITEMS_A_TURN))) return;
  }
}
