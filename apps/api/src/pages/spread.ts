interface Block {
  readonly sum: number;
  readonly size: number;
}

const meanOf = ({ sum, size }: Block): number => sum / size;

/**
 * Moves labels apart that would overlap, all together as little as possible: those that touch become a block around the
 * mean of where they want to be.
 * @param wanted ascending
 * @param gap least distance of two
 * @param least where the first may be
 * @param most where the last may be; there is room for all of them in between
 */
export function spread(wanted: readonly number[], gap: number, least: number, most: number): number[] {
  const blocks: Block[] = [];
  for (const [at, place] of wanted.entries()) {
    let block: Block = { sum: place - at * gap, size: 1 }; // without the gaps, labels only have to stay in their order
    for (let last = blocks.at(-1); last && meanOf(last) > meanOf(block); last = blocks.at(-1)) {
      block = { sum: last.sum + block.sum, size: last.size + block.size };
      blocks.pop();
    }
    blocks.push(block);
  }
  const highest = most - (wanted.length - 1) * gap;
  return blocks
    .flatMap((block) => Array<number>(block.size).fill(Math.min(Math.max(meanOf(block), least), highest)))
    .map((place, at) => place + at * gap);
}
