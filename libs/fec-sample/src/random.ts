const { imul } = Math;

/** Numbers that look random and are the same for the same seed everywhere (the generator is called mulberry32). */
export class Random {
  constructor(private state: number) {}

  /** 0 to 1, without 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let bits = imul(this.state ^ (this.state >>> 15), 1 | this.state);
    bits = (bits + imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** 0 to count - 1 */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)];
  }

  /** The first ones more often than the last, the more so the steeper. */
  pickEarly<Item>(items: readonly Item[], steepness = 2): Item {
    return items[Math.floor(this.next() ** steepness * items.length)];
  }

  happens(chance: number): boolean {
    return this.next() < chance;
  }
}

/** The number of a place in a made-up world: the same for the same parts. */
export function seedOf(...parts: readonly number[]): number {
  let seed = 0x51f15eed;
  for (const part of parts) seed = imul(seed ^ part, 0x9e3779b1) ^ (seed >>> 13);
  return seed;
}
