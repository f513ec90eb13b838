import { createHash } from 'node:crypto';

/** Five numbers in [0, 1), always the same for the same text. */
export function drawsOf(text: string): readonly number[] {
  const digest = createHash('sha1').update(text).digest();
  return [0, 4, 8, 12, 16].map((at) => digest.readUInt32LE(at) / 2 ** 32);
}

export const pick = <T>(from: readonly T[], draw: number): T => from[Math.floor(draw * from.length)];

/** A generator of numbers in [0, 1) (mulberry32); the same seed gives the same numbers. */
export function dice(seed: string): () => number {
  let state = Math.floor(drawsOf(seed)[0] * 2 ** 32);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffled<T>(items: readonly T[], roll: () => number): T[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(roll() * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}
