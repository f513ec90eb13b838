import { gzipSync } from 'node:zlib';
import { renderToString } from 'preact-render-to-string';
import { agesProps, linesProps, MADE_UP_AGES, MADE_UP_LINES } from '../../../../scripts/bench/made-up-charts';
import { markupFlaws } from '../../../../test/support/markup-flaws';
import { wordsOnWords } from '../../../../test/support/drawn-words';
import { type AboutFacts } from '../data-charts/about-facts';
import { type DonorAges } from '../data-charts/donor-ages';
import { AboutCharts } from './about-charts';
import { agesHeadline } from './ages-headline';
import { renderAgesPage } from './ages-page';
import { linesHeadline } from './lines-headline';
import { renderLinesPage } from './lines-page';
import { STYLESHEET } from './stylesheet';
import { standaloneAges, standaloneLines } from './standalone-donors';

const withAge = (age: number) => (one: DonorAges) => ({
  ...one,
  donors: Array.from({ length: age + 1 }, (_, at) => one.donors[at] ?? 1),
});

const told = (parts: readonly { readonly text: string }[]): string => parts.map(({ text }) => text).join('');

describe('a page of as many lines or histograms as are drawn', () => {
  it.each([
    ['lines', renderLinesPage(linesProps(MADE_UP_LINES)), standaloneLines(linesProps(MADE_UP_LINES).chart)],
    ['ages', renderAgesPage(agesProps(MADE_UP_AGES)), standaloneAges(agesProps(MADE_UP_AGES).chart)],
  ])('has less than 30 KB as it travels with its styles, its picture less than 12: %s', (_, page, picture) => {
    expect(gzipSync(page).length + gzipSync(STYLESHEET).length).toBeLessThan(30_000);
    expect(gzipSync(picture).length).toBeLessThan(12_000);
    const odd = /NaN|Infinity|undefined|\d\.\d\d+[,VHLM"]/; // tenths are enough
    expect([odd.exec(page)?.[0], odd.exec(picture)?.[0]]).toEqual([undefined, undefined]);
    expect(markupFlaws(picture)).toEqual([]);
  });

  it('has pictures that are well-formed where there is nobody and where names are markup', () => {
    const names = MADE_UP_LINES.map((one) => ({ ...one, name: '<b>&amp;]]>"\u0027', donors: [] }));
    const ages = MADE_UP_AGES.map((one) => ({ ...one, name: '<b>&amp;]]>"\u0027', donors: [] }));
    for (const picture of [
      standaloneLines(linesProps(names).chart),
      standaloneLines(linesProps([]).chart),
      standaloneAges(agesProps(ages).chart),
      standaloneAges(agesProps([]).chart),
    ])
      expect(markupFlaws(picture)).toEqual([]);
  });

  it.each([
    ['lines', renderLinesPage(linesProps(MADE_UP_LINES))],
    ['ages from 0 to beyond 100', renderAgesPage(agesProps(MADE_UP_AGES.map(withAge(104))))],
    ['ages from 0 to 99', renderAgesPage(agesProps(MADE_UP_AGES))],
  ])('keeps words off each other, wide and narrow: %s', (_, page) => {
    expect(page.split('<svg').slice(1).map(wordsOnWords)).toEqual([[], []]);
  });

  it('of lines that end early in the cycle names them where they end, and draws nothing beyond that looks like a line', () => {
    const early = MADE_UP_LINES.map((one) => ({ ...one, donors: one.donors.slice(0, 5), until: '2015-01-05' }));
    const [picture] = standaloneLines(linesProps(early).chart).split('</style>').slice(1);
    const places = (tag: string, of: string) => [
      ...new Set([...picture.matchAll(new RegExp(`<${tag}[^>]* ${of}="([\\d.]+)"`, 'g'))].map(([, at]) => Number(at))),
    ];
    const [end] = places('circle class="end', 'cx');
    expect(places('text class="name"', 'x').map((at) => at - end)).toEqual([expect.closeTo(15, 0)]);
    expect(picture.match(/class="leader"/g)).toHaveLength(early.length);
    expect(picture).not.toMatch(/class="leader [^"]*series/);
  });

  it('says how many there are and that the CSV has them all', () => {
    expect(renderLinesPage(linesProps(MADE_UP_LINES, 43))).toContain(
      'These are the 8 lines with the most donors, of 43',
    );
    expect(renderLinesPage(linesProps(MADE_UP_LINES, 8))).not.toContain('These are the');
  });

  it('of ages leads to the ages without children, and says how far both are off', () => {
    const { lists, ...props } = agesProps(MADE_UP_AGES);
    const all = renderAgesPage({ lists, ...props });
    expect(all).toContain('age_distribution/committee?cycle=2016&amp;basis=adult&amp;format=html">without them');
    expect(all).toMatch(/8\.4 years too low, and 3\.9 counting/);
    const adults = renderAgesPage({ lists: { ...lists, basis: ['adult'] }, ...props });
    expect(adults).not.toContain('without them');
    expect(adults).toMatch(/was 3\.9 years too low\./);
  });

  it('asks again with all that it shows ticked, whether it was asked for by id or not', () => {
    const page = renderLinesPage(linesProps(MADE_UP_LINES));
    const boxes = [...page.matchAll(/<input type="checkbox" name="(\w+)" value="(\w+)"( checked)?/g)];
    expect(boxes.map(([, name, value, checked]) => [name, value, checked])).toEqual([
      ...MADE_UP_LINES.map(({ id }) => ['candidate_id', id, ' checked']),
      ['cycle', '2016', ' checked'],
    ]);
  });

  it('names nobody as markup', () => {
    const names = new Map([[MADE_UP_LINES[0].id, '<b>& "X"\u0001</b>']]);
    const { chart, ...props } = linesProps(MADE_UP_LINES.slice(0, 1));
    const page = renderLinesPage({ chart: { ...chart, names }, ...props });
    expect(/<h1.*<\/h1>/.exec(page)?.[0]).toContain('&lt;b>&amp; &quot;X&quot; &lt;/b>');
    expect(/<b>|\u0001/.test(page + standaloneLines({ ...chart, names }))).toBe(false);
  });
});

describe('a page of a cycle', () => {
  type File = AboutFacts['imports']['files'][number];
  const file: File = {
    ...{ kind: 'contributions', cycle: 2016, label: 'folder', source: 'part.txt', sha256: null },
    ...{ rows: 1195, rejected: 0, at: new Date('2026-01-02') },
  };
  const noticesOf = (...files: File[]): string[] => {
    const props = linesProps(MADE_UP_LINES);
    const facts = { ...props.facts, imports: { files, filings: 0, hasSample: false } };
    const page = renderLinesPage({ ...props, facts });
    return [...page.matchAll(/<p class="notice">(.*?)<\/p>/gs)].map(([, notice]) => notice.replace(/<[^>]+>/g, ''));
  };

  it('says where its contributions came from a file given by the operator, or with other files', () => {
    expect(noticesOf(file, { ...file, cycle: 2020 })).toEqual([
      expect.stringMatching(
        /^Perhaps not all of 2016\. The contributions were read from a file given by the operator; /,
      ),
    ]);
    expect(noticesOf({ ...file, cycle: 2014 })).toEqual([expect.stringMatching(/^Not all of 2016\. No file with /)]);
    expect(noticesOf({ ...file, source: 'file:///srv/somewhere/fec/2016/indiv16.zip' })).toEqual([]);
    expect(noticesOf({ ...file, label: 'official', source: 'https://www.fec.gov/indiv16.zip' })).toEqual([]);
  });
});

describe('the list of charts', () => {
  it('says why somebody has no chart of ages', () => {
    const { facts, visit } = linesProps(MADE_UP_LINES);
    const entry = { cycle: 2024, candidateId: 'P00000001', name: 'DOE, PAT', donors: 5 };
    const listed = (committees: AboutFacts['index'][number]['committees']): string =>
      renderToString(<AboutCharts facts={{ ...facts, index: [{ ...entry, committees }] }} visit={visit} />);
    expect(listed([{ id: 'C00000001', name: 'FRIENDS' }])).not.toContain('–');
    expect(listed([])).toMatch(
      /<span title="No principal committee [^"]+">–<\/span>.*<p class="quiet">– No principal /,
    );
  });
});

describe('the finding', () => {
  const [first] = MADE_UP_LINES;
  const line = (donors: number[], cycle = 2016, id = 'P1') => ({
    ...first,
    id,
    cycle,
    donors,
    until: `${cycle - 1}-03-01`,
  });
  const ofLines = (...lines: (typeof first)[]): string =>
    told(linesHeadline({ ...linesProps(lines).chart, names: new Map([['P2', 'ROE, RAY']]) }));

  it('of one line is how many donors there are, and when half of them had come', () => {
    expect(ofLines(line([1, 2, 4, 4]))).toBe(
      'P1 had 4 donors by March 1, 2015 in the cycle 2016; half of them had given by January 2, 2015.',
    );
    expect(ofLines(line([0, 1]))).toBe('P1 had 1 donor by March 1, 2015 in the cycle 2016.');
  });

  it('of several is who had the most, and how many more than the next', () => {
    expect(ofLines(line([6]), line([5], 2016, 'P2'), line([1], 2016, 'P3'))).toBe(
      'In the cycle 2016, P1 had the most donors: 6 by March 1, 2015, 20 % more than ROE, RAY.',
    );
    expect(ofLines(line([6]), line([2], 2020))).toBe(
      'P1 in the cycle 2016 had the most donors: 6 by March 1, 2015, 3 times as many as P1 in the cycle 2020.',
    );
    expect(
      told(linesHeadline({ ...linesProps([line([6]), line([2])]).chart, names: new Map([['P1', 'DOE, PAT J.']]) })),
    ).toMatch(/as DOE, PAT J\.$/);
    expect(ofLines(line([6]), line([6], 2016, 'P2'))).toBe(
      'In the cycle 2016, P1 and ROE, RAY had equally many donors, 6.',
    );
    expect(ofLines(...['P1', 'P3', 'P2', 'P4', 'P5'].map((id) => line([id === 'P5' ? 5 : 6], 2016, id)))).toBe(
      'In the cycle 2016, 4 candidates had equally many donors, 6.',
    );
    expect(ofLines(line([6]), line([0], 2016, 'P2'))).toContain('6 by March 1, 2015, against none of ROE, RAY.');
  });

  describe('of ages', () => {
    const ages = (median: number, cycle = 2016, known = 1200) => ({
      ...MADE_UP_AGES[0],
      cycle,
      known,
      middle: { q25: median - 5, median, q75: median + 5 },
    });
    const ofAges = (parts: Parameters<typeof agesProps>[0], of = parts.length): string =>
      told(agesHeadline({ ...agesProps(parts, of).chart, names: new Map([[MADE_UP_AGES[0].id, 'PAT 2016']]) }));

    it('is who has the oldest donors and who the youngest', () => {
      expect(ofAges([ages(52)])).toBe(
        'Donors of PAT 2016 in the cycle 2016 have a median age of 52; the middle half are 47 to 57 (1,200 with an estimated age).',
      );
      expect(ofAges([ages(52), ages(60, 2020)])).toBe(
        'The oldest donors are those of PAT 2016 in 2020, with a median age of 60 (1,200 donors); the youngest those of PAT 2016 in 2016, with 52 (1,200).',
      );
      expect(ofAges([{ ...ages(52), middle: null }])).toBe('None of the donors of PAT 2016 has an estimated age.');
    });

    it('says whom it compares where not all that the question has are compared', () => {
      expect(ofAges([ages(52), ages(60)], 17)).toMatch(
        /^In the cycle 2016, of the 2 with the most donors, the oldest donors are those of PAT 2016,/,
      );
      expect(ofAges([ages(52), ages(60, 2020), ages(20, 2020, 99)])).toMatch(
        /^Of the 2 with at least 100 estimated ages, the oldest .* 60 \(1,200 donors\); .* 52 \(1,200\)\.$/,
      );
      expect(ofAges([ages(52), ages(60), ages(20, 2016, 99)], 17)).toMatch(
        /^In the cycle 2016, of the 2 drawn with at least 100 estimated ages, the oldest /,
      );
    });

    it('names all who share a place, or says how many they are', () => {
      const of = (median: number, at: number) => ({ ...ages(median, 2016, 1200 + at), id: `C${at}` });
      expect(ofAges([of(52, 1), of(52, 2)])).toBe(
        'In the cycle 2016, donors of C1 and C2 have the same median age, 52 (1,201 to 1,202 donors each).',
      );
      expect(ofAges([of(60, 1), of(52, 2), of(60, 3), of(60, 4)])).toBe(
        'In the cycle 2016, the oldest donors are those of C1, C3 and C4, with a median age of 60 (1,201 to 1,204 donors each); the youngest those of C2, with 52 (1,202).',
      );
      expect(ofAges([of(60, 1), ...[2, 3, 4, 5].map((at) => of(52, at))], 17)).toMatch(
        /^In the cycle 2016, of the 5 with the most donors, .*; the youngest those of 4 committees, with 52 \(1,202 to 1,205 each\)\.$/,
      );
    });

    it('compares no medians of a handful', () => {
      expect(ofAges([ages(52, 2016, 100), { ...ages(60, 2020, 99), unknown: 5000 }])).toMatch(
        /^Donors of PAT 2016 in the cycle 2016 have a median age of 52; /,
      );
    });
  });
});
