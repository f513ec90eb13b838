import fc from 'fast-check';
import { PackedKeyIndex } from './key-index';
import { PARTICLES, SURNAME_SUFFIXES, findSurname, surnameKeys } from './surname-key';

const LONGEST = 'X'.repeat(64);
const NAMES = ['TORVAQUILL', 'AZ', 'QUILL', 'TORVA', 'QUILLTORVA', 'ABBOT', 'VAN', 'JR', 'JUNIOR', 'Q', LONGEST];
const names = PackedKeyIndex.build(NAMES);
const nameOf = (raw: string): string | undefined => {
  const row = findSurname(names, raw);
  return row === undefined || row < 0 ? undefined : NAMES[row];
};

describe('findSurname', () => {
  it.each([
    ['QUILL', 'QUILL'],
    ['  Quill ', 'QUILL'],
    ['\tquill\u0001', 'QUILL'],
    ["Qu'ill.", 'QUILL'],
    ['Quill Jr.', 'QUILL'],
    ['Quill, M.D. III', 'QUILL'],
    ['Torva Quill Jr', 'TORVAQUILL'],
    ['X Junior', undefined],
    ['Jr Jr', 'JR'],
    ['Xyz-Jr', 'JR'],
    ['van', 'VAN'],
    ['van Abbot', 'ABBOT'],
    ['van der Xyz', undefined],
    ['Torva Quill', 'TORVAQUILL'],
    ['Torva-Quill', 'TORVAQUILL'],
    ['Tor va Quill', 'TORVAQUILL'],
    ['Torva Quill-Abbot', 'TORVAQUILL'],
    ['Torva Quill Xyz', 'TORVAQUILL'],
    ['Xyz Torva Quill', 'TORVAQUILL'],
    ['Xyz Quill Abbot', 'QUILL'],
    ['Xyz-Torva Quill-Abbot', 'TORVAQUILL'],
    ['Xyz-Abbot Jr', 'ABBOT'],
    ['x'.repeat(64), LONGEST],
    [`${'x'.repeat(64)} jr`, undefined],
    ['', undefined],
    ['q', undefined],
    ['Xyz q', undefined],
    ['Quilla', undefined],
  ])('%j finds %s', (raw, name) => expect(nameOf(raw)).toBe(name));

  it.each(['Torva & - Quill', '-Quill', 'Quill-', 'Quill- Torva', 'Quıll', '’quill', 'x'.repeat(65), 'a '.repeat(17)])(
    'returns undefined for %j, which needs `surnameKeys`',
    (raw) => expect(findSurname(names, raw)).toBeUndefined(),
  );

  it('returns the first spelling of `surnameKeys` that is in the file', () => {
    const part = fc.constantFrom(...NAMES, 'xyz', 'Torva', 'quill', ...SURNAME_SUFFIXES, ...PARTICLES, 'A', '', 'q');
    const between = fc.constantFrom(' ', '  ', '-', ' - ', '- ', "'", '.', '`', ', ', '&', '\u0000', '[', '{', 'é');
    const joined = fc.array(fc.tuple(part, between), { maxLength: 9 }).map((pairs) => pairs.flat().join(''));
    const text = fc.oneof(joined, fc.stringMatching(/^[ '.`@-[`-{-]{0,6}[AZaz]{0,3}[ -]{0,2}$/), fc.string());
    let plain = 0;
    fc.assert(
      fc.property(text, (raw) => {
        const row = findSurname(names, raw);
        if (row === undefined) return;
        plain++;
        expect(row < 0 ? undefined : NAMES[row]).toBe(surnameKeys(raw).find((key) => names.find(key) >= 0));
      }),
      { numRuns: 2_000 },
    );
    expect(plain).toBeGreaterThan(500);
  });
});
