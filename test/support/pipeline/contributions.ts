/** Synthetic people: names of the sample combined with dates. Row i is always the same. */
const FIRST = ['Mary', 'James', 'Linda', 'Robert', 'Ashley', 'Ethan', 'Dorothy', 'Wqzx', 'Jennifer', 'Liam'];
const LAST = ['Smith', 'Garcia', 'Nguyen', 'Johnson', 'Wqzxv', 'Miller', 'Davis', 'Martinez', 'Wilson', 'Lee'];

const two = (n: number) => String(n).padStart(2, '0');

export const contributionHeader = 'row_id,first_name,last_name,date,note';

export const contributionRow = (i: number): string =>
  `${i},${FIRST[i % 10]},${LAST[Math.floor(i / 10) % 10]},${2003 + (i % 18)}-${two(1 + (i % 12))}-${two(1 + (i % 28))},"note, ${i % 7}"`;

/** CSV with a header and n rows, in pieces of 1,000 rows. */
export function* contributionsCsv(n: number): Generator<string> {
  yield `${contributionHeader}\n`;
  for (let start = 0; start < n; start += 1000) {
    let piece = '';
    for (let i = start; i < Math.min(n, start + 1000); i++) piece += `${contributionRow(i)}\n`;
    yield piece;
  }
}
