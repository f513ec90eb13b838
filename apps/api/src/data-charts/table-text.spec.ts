import { setImmediate } from 'node:timers/promises';
import { CUMULATIVE_DONORS } from './table-files';
import { tableCsv, tableJson, type TableRow } from './table-text';

const FILES = 5;
const PIECES = 4;
const LINES: readonly TableRow[] = Array<TableRow>(PIECES * 4096).fill([2016, 'P00000001', '2015-01-01', 1]);

describe('long files that are written together', () => {
  it.each([
    ['CSV', () => tableCsv(CUMULATIVE_DONORS.columns, LINES, false)],
    ['JSON', () => tableJson(CUMULATIVE_DONORS.columns, LINES)],
  ])('make one piece a turn, all of them together: %s', async (_format, file) => {
    const made: Buffer[] = [];
    const read = async (): Promise<void> => {
      for await (const piece of file()) made.push(piece);
    };
    let isWriting = true;
    const written = Promise.all(Array.from({ length: FILES }, read)).then(() => (isWriting = false));
    let most = 0;
    for (let before = FILES; isWriting; before = made.length) {
      await setImmediate();
      most = Math.max(most, made.length - before);
    }
    await written;
    expect(made).toHaveLength(FILES * (PIECES + 1)); // the last one ends the file
    expect(most).toBe(1);
  });
});
