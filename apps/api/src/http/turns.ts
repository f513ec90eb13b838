import { type FastifyRequest } from 'fastify';
import { notWaitedFor } from './problem';

/** Of the items of a long request, so many are worked on in one turn: a few milliseconds. */
export const ITEMS_A_TURN = 1_000;

type Line = (() => void)[];

/** Pieces of long work. */
const pieces: Line = [];
/** Answers that were waited for together: a line of their own, so that no piece stands behind a thousand of them. */
const answers: Line = [];
const isWaiting = (): boolean => pieces.length + answers.length > 0;

/** One of each line. */
function letGo(): void {
  pieces.shift()?.();
  answers.shift()?.();
  if (isWaiting()) setImmediate(letGo);
}

const stand = (line: Line): Promise<void> =>
  new Promise((go) => {
    if (!isWaiting()) setImmediate(letGo);
    line.push(go);
  });

/** Somebody has a turn next. */
export const isLongWorkUnderWay = (): boolean => pieces.length > 0;

/**
 * Resolves in a later turn of the event loop, one caller in each, in their order: between two pieces of long work
 * questions that have come meanwhile begin, however many such works are under way.
 */
export const nextTurn = (): Promise<void> => stand(pieces);

/**
 * What many may wait for together, `shared`, or its error. Each of them goes on in a turn of its own: a thousand pages made
 * in one turn would be in memory together, and nobody else be heard meanwhile.
 * @throws Problem where the client has gone
 */
export async function eachInTurn<T>(shared: Promise<T>, request: FastifyRequest): Promise<T> {
  await Promise.allSettled([shared]);
  await stand(answers);
  if (request.raw.socket.destroyed) throw notWaitedFor();
  return shared;
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
