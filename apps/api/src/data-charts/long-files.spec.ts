import { LongFiles } from './long-files';
import { type LongTable } from './table-body';

const table = (key: string): LongTable => ({ key }) as LongTable;
const times = <T>(count: number, one: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => one(n));

describe('long files', () => {
  it('are the same for all who read them at a time, until the last has', () => {
    const files = new LongFiles();
    const first = { ...table('a'), pieces: jest.fn() };
    const [one, other] = [first, table('a')].map((made) => files.read(made));
    expect(other.pieces).toBe(first.pieces);
    expect(files.get('a')).toBe(first);
    one.end();
    expect(files.get('a')).toBe(first);
    other.end();
    expect(files.get('a')).toBeUndefined();
  });

  it('are four at a time; the next has to come again', () => {
    const files = new LongFiles();
    const [{ end }] = ['a', 'b', 'c', 'd'].map((key) => files.read(table(key)));
    expect(() => files.read(table('e'))).toThrow('4 such files are being read');
    expect(files.get('e')).toBeUndefined();
    files.read(table('b'));
    end();
    files.read(table('e'));
  });

  it('are read by 64 at a time, whichever they are', () => {
    const files = new LongFiles();
    const readings = times(64, (n) => files.read(table('ab'[n % 2])));
    expect(() => files.read(table('a'))).toThrow('64 such files are being read');
    expect(() => files.read(table('c'))).toThrow('64 such files are being read');
    expect(files.get('c')).toBeUndefined();
    for (const { end } of readings) end();
    expect(times(64, () => files.read(table('c')))).toHaveLength(64);
  });
});
