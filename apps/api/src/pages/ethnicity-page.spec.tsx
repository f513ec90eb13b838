import { Demographics, fillSuppressed, PackedKeyIndex, type SurnameTable } from '@donorlens/demographics';
import { type Release } from '@donorlens/reference-data';
import { ethnicityAnswer } from '../lookups/ethnicity-answer';
import { markupFlaws } from '../../../../test/support/markup-flaws';
import { sampleTables } from '../../../../test/support/sample-tables';
import { ethnicityPicture, renderEthnicityPage } from './ethnicity-page';
import { ethnicityHeadline } from './ethnicity-words';
import { textOf } from './headline';

/** Hundredths of a percent in the order of the census files: white, black, api, aian, two or more, hispanic; null for (S). */
function surnameTable(census: 2000 | 2010, rows: Readonly<Record<string, (number | null)[]>>): SurnameTable {
  const filled = Object.values(rows).map(fillSuppressed);
  return {
    census,
    names: PackedKeyIndex.build(Object.keys(rows)),
    pct: Uint16Array.from(filled.flatMap(({ pct }) => pct)),
    suppressed: Uint8Array.from(filled.map(({ suppressed }) => suppressed)),
    race: Uint8Array.from(filled.map(({ race }) => race)),
  };
}

const TABLES = {
  surnames2000: surnameTable(2000, {
    QUILL: [9000, 500, 100, 100, 200, 100],
    TORVA: [9000, 500, 100, 100, 200, 100],
    HIDDEN: [null, null, null, null, null, null],
  }),
  surnames2010: surnameTable(2010, {
    QUILL: [4550, 900, 3550, 300, 400, 300],
    TORVAQUILL: [500, 400, 8700, 100, 200, 100],
    EVEN: [4000, 4000, 1000, 500, 300, 200],
    RARE: [9500, null, null, null, 130, 270],
  }),
};

describe('the page of a surname', () => {
  let release: Release;
  beforeAll(async () => {
    const sample = await sampleTables();
    const tables = { ...sample.tables, ...TABLES };
    release = { ...sample, label: 'official', tables, demographics: new Demographics(tables) };
  });
  const page = (surname: string, year: number, apiKey?: string): string =>
    renderEthnicityPage(ethnicityAnswer(release, surname, year), release, { visitor: null, apiKey });
  const said = (surname: string, year: number, isSample = false): string =>
    textOf(ethnicityHeadline(ethnicityAnswer(release, surname, year), isSample));

  it('says the finding in a sentence', () => {
    expect(said('Quill', 2000)).toBe(
      'Of the people with the surname Quill, 90 % said in the census of 2000 that they are White.',
    );
    expect(said('Quill', 2010)).toMatch(/45\.5 % said .* are White: the largest group, but not more than half\.$/);
    expect(said('Even', 2010)).toMatch(/, 40 % said in the census of 2010 that they are White, and as many Black\.$/);
    expect(said('Hidden', 2000)).toBe(
      'The census of 2000 withholds every share of the surname Hidden, so it has no ethnicity here.',
    );
    expect(said('Nosuch', 2010)).toContain('is not among those that the census of 2010 lists');
    expect(said('Nosuch', 2010, true)).toContain('is not in the sample');
  });

  it('shows both censuses where both have the surname under one spelling, the one of the year as the answer', () => {
    const html = page('Quill', 2016);
    expect(html).toContain('>45.5 % in 2010<');
    expect(html).toContain('>90 % in 2000<');
    expect(html).toContain('In the census of 2000 the same group was 90 %.');
    expect([...html.matchAll(/<th scope="col">([^<]+)/g)].map(([, column]) => column).slice(1, 3)).toEqual([
      'Census of 2000',
      'Census of 2010',
    ]);
    const other = page('Torva-Quill', 2016);
    expect(other).not.toContain('Census of 2000');
    expect(other).toContain('listed there as <strong>TORVAQUILL</strong>');
  });

  it('says which shares the census withholds and what stands for them', () => {
    const html = page('Rare', 2012);
    expect(html).toContain('>withheld, about 0.33 %<');
    expect(html).toContain('<td>withheld (0.33 %)</td>');
    expect(html).toContain('none of those ever names the ethnicity');
    expect(page('Quill', 2012)).not.toContain('withheld');
  });

  it('leads from an unknown surname to the census that has it, and to the form', () => {
    const html = page('Torva', 2010, 'k"ey');
    expect(html).not.toContain('<svg');
    expect(html).toContain('href="/enrich/v1/ethnicity/surname/Torva/year/2000?format=html&amp;apiKey=k%22ey"');
    expect(html).toContain('action="/enrich/v1/ethnicity/ask"');
    expect(page('Nosuch', 2010)).toContain('100 people or more');
  });

  it.each(['<img src=x onerror=alert(1)>', `"'><svg/onload=1>`, '\u202eevil', ' ', 'x'.repeat(200)])(
    'stands with %s as the surname',
    (surname) => {
      for (const text of [page(surname, 1000), ethnicityPicture(ethnicityAnswer(release, surname, 9999), release)]) {
        expect(text).not.toMatch(/<img|<svg\/|NaN|undefined|\sstyle=/);
      }
    },
  );

  it.each(['Quill', 'Hidden', 'Nosuch', '', '<b>&amp;]]>"\u0027', 'a\u0001b\uffff'])(
    'is well-formed as a picture that stands alone: %j',
    (surname) => expect(markupFlaws(ethnicityPicture(ethnicityAnswer(release, surname, 2010), release))).toEqual([]),
  );

  it('carries its styles in the picture that stands alone', () => {
    expect(ethnicityPicture(ethnicityAnswer(release, 'Quill', 2010), release)).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*><style>[\s\S]*\.bars \.first/,
    );
  });
});
