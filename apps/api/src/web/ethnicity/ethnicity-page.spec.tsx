import { Demographics, fillSuppressed, PackedKeyIndex, type SurnameTable } from '@donorlens/demographics';
import { type Release } from '@donorlens/reference-data';
import { markupFlaws } from '../../../../../test/support/browser/markup-flaws';
import { sampleTables } from '../../../../../test/support/reference-data/sample-tables';
import { ethnicityAnswer } from '../../lookups/ethnicity-results';
import { textOf } from '../layout/headline';
import { ethnicityHeadline, ethnicitySubtitle } from './ethnicity-labels';
import { ethnicityPicture, renderEthnicityPage } from './ethnicity-page';

/** Hundredths of a percent in the order of census files: white, black, api, aian, 2 or more, hispanic; null for (S). */
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
    SOLE: [9999, 1, 0, 0, 0, 0],
    HIDDEN: [null, null, null, null, null, null],
  }),
  surnames2010: surnameTable(2010, {
    QUILL: [4550, 900, 3550, 300, 400, 300],
    TORVAQUILL: [500, 400, 8700, 100, 200, 100],
    EVEN: [4000, 4000, 1000, 500, 300, 200],
    RARE: [9500, null, null, null, 130, 270],
    SOLE: [9998, 2, 0, 0, 0, 0],
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
    renderEthnicityPage(ethnicityAnswer(release, surname, year), release, { user: null, apiKey });
  const headlineOf = (surname: string, year: number, isSample = false): string =>
    textOf(ethnicityHeadline(ethnicityAnswer(release, surname, year), isSample));

  it('has the finding as its headline', () => {
    const subtitleOf = (surname: string, year: number) => ethnicitySubtitle(ethnicityAnswer(release, surname, year));
    expect(headlineOf('Quill', 2000)).toBe('90% of people named Quill identified as White in 2000');
    expect(subtitleOf('Quill', 2000)).toBe('');
    expect(headlineOf('Quill', 2010)).toBe('45.5% of people named Quill identified as White in 2010');
    expect(subtitleOf('Quill', 2010)).toBe('This is the largest group, but not a majority.');
    expect(headlineOf('Even', 2010)).toBe('40% of people named Even identified as White in 2010');
    expect(subtitleOf('Even', 2010)).toBe('Black has the same share.');
    expect(headlineOf('Hidden', 2000)).toBe('The 2000 Census suppresses all shares of the surname Hidden');
    expect(subtitleOf('Hidden', 2000)).toBe('Donorlens has no ethnicity for it.');
    expect(headlineOf('Nosuch', 2010)).toBe('The surname Nosuch is not in the 2010 Census surname list');
    expect(headlineOf('Nosuch', 2010, true)).toBe('The surname Nosuch is not in the sample data');
  });

  it('shows both censuses if both list the same spelling, with the census of the year as the result', () => {
    const html = page('Quill', 2016);
    expect(html).toContain('>45.5% in 2010<');
    expect(html).toContain('>90% in 2000<');
    expect(html).toContain('In the 2000 Census, the share was 90%.');
    expect([...html.matchAll(/<th scope="col">([^<]+)/g)].map(([, column]) => column).slice(1, 3)).toEqual([
      '2000 Census',
      '2010 Census',
    ]);
    const other = page('Torva-Quill', 2016);
    expect(other).not.toContain('>2000 Census<');
    expect(other).toContain('has the name as <strong>TORVAQUILL</strong>');
  });

  it('has room for the longest figure next to the longest bar, wide and narrow', () => {
    const pictures = [...page('Sole', 2010).matchAll(/viewBox="0 0 (\d+) .*?x="([\d.]+)"[^>]*>99.98% in 2010</gs)];
    expect(pictures).toHaveLength(2);
    // 104.3 is the width of the text in Chromium
    for (const [, width, x] of pictures) expect(Number(x) + 104.3).toBeLessThanOrEqual(Number(width));
  });

  it('states which shares the census suppresses and how they are estimated', () => {
    const html = page('Rare', 2012);
    expect(html).toContain('>suppressed, about 0.33%<');
    expect(html).toContain('<td>suppressed (0.33%)</td>');
    expect(html).toContain('never reports one of them as the ethnicity');
    expect(page('Quill', 2012)).not.toContain('uppressed');
  });

  it('links an unknown surname to the census that lists it, and shows the form', () => {
    const html = page('Torva', 2010, 'k"ey');
    expect(html).not.toMatch(/<svg|format=svg/);
    expect(html).toContain('href="/enrich/v1/ethnicity/surname/Torva/year/2000?format=html&amp;apiKey=k%22ey"');
    expect(html).toContain('action="/enrich/v1/ethnicity/ask"');
    expect(page('Nosuch', 2010)).toContain('100 people or more');
  });

  it.each(['<img src=x onerror=alert(1)>', `"'><svg/onload=1>`, '\u202eevil', ' ', 'x'.repeat(200)])(
    'works with the surname %s',
    (surname) => {
      for (const text of [page(surname, 1000), ethnicityPicture(ethnicityAnswer(release, surname, 9999), release)]) {
        expect(text).not.toMatch(/<img|<svg\/|NaN|undefined|\sstyle=/);
      }
    },
  );

  it.each(['Quill', 'Hidden', 'Nosuch', '', '<b>&amp;]]>"\u0027', 'a\u0001b\uffff'])(
    'is well-formed as an SVG file: %j',
    (surname) => expect(markupFlaws(ethnicityPicture(ethnicityAnswer(release, surname, 2010), release))).toEqual([]),
  );

  it('has its styles inline as an SVG file', () => {
    expect(ethnicityPicture(ethnicityAnswer(release, 'Quill', 2010), release)).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*><style>[\s\S]*\.bars \.first/,
    );
  });
});
