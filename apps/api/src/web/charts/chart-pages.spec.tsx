import { gzipSync } from 'node:zlib';
import { renderToString } from 'preact-render-to-string';
import {
  agesProps,
  linesProps,
  SYNTHETIC_AGES,
  SYNTHETIC_LINES,
} from '../../../../../test/support/fec-data/synthetic-charts';
import { wordsOnWords } from '../../../../../test/support/browser/drawn-words';
import { markupFlaws } from '../../../../../test/support/browser/markup-flaws';
import { type AboutFacts } from '../../charts/about-facts';
import { type DonorAges } from '../../charts/donor-series';
import { AboutCharts } from '../about/about-charts';
import { STYLESHEET } from '../assets/assets';
import { textOf } from '../layout/headline';
import { agesHeadline } from './ages/ages-headline';
import { fileName } from './chart-data';
import { renderAgesPage } from './ages/ages-page';
import { linesHeadline, linesSubtitle, renderLinesPage } from './lines/lines-page';
import { standaloneAges, standaloneLines } from './standalone-donors';

const withAge = (age: number) => (one: DonorAges) => ({
  ...one,
  donors: Array.from({ length: age + 1 }, (_, at) => one.donors[at] ?? 1),
});

const cycleFacts = (cycle: number): AboutFacts['cycles'][number] => ({
  ...{ cycle, offices: ['P'], newestOn: `${cycle}-12-31`, sensitivity: null },
  ...{ candidates: 1, committees: 1, contributions: 1, amountCents: 1 },
});

const linesPicture = ({ chart, facts }: ReturnType<typeof linesProps>): string => standaloneLines(chart, facts);
const agesPicture = ({ chart, facts }: ReturnType<typeof agesProps>, basis = ['all']): string =>
  standaloneAges(chart, basis, facts);

describe('a page with the maximum number of lines or histograms', () => {
  it.each([
    ['lines', renderLinesPage(linesProps(SYNTHETIC_LINES)), linesPicture(linesProps(SYNTHETIC_LINES))],
    ['ages', renderAgesPage(agesProps(SYNTHETIC_AGES)), agesPicture(agesProps(SYNTHETIC_AGES))],
  ])('has less than 40 KB compressed with its styles, its SVG file less than 12 KB: %s', (_, page, picture) => {
    expect(gzipSync(page).length + gzipSync(STYLESHEET).length).toBeLessThan(40_000);
    expect(gzipSync(picture).length).toBeLessThan(12_000);
    const odd = /NaN|Infinity|undefined|\d\.\d\d+[,VHLM"]/; // at most one decimal
    expect([odd.exec(page)?.[0], odd.exec(picture)?.[0]]).toEqual([undefined, undefined]);
    expect(markupFlaws(picture)).toEqual([]);
  });

  it('has well-formed SVG without donors and with markup in names', () => {
    const names = SYNTHETIC_LINES.map((one) => ({ ...one, name: '<b>&amp;]]>"\u0027', donors: [] }));
    const ages = SYNTHETIC_AGES.map((one) => ({ ...one, name: '<b>&amp;]]>"\u0027', donors: [] }));
    for (const picture of [
      linesPicture(linesProps(names)),
      linesPicture(linesProps([])),
      agesPicture(agesProps(ages)),
      agesPicture(agesProps([])),
    ])
      expect(markupFlaws(picture)).toEqual([]);
  });

  it.each([
    ['lines', renderLinesPage(linesProps(SYNTHETIC_LINES))],
    ['ages from 0 to beyond 100', renderAgesPage(agesProps(SYNTHETIC_AGES.map(withAge(104))))],
    ['ages from 0 to 99', renderAgesPage(agesProps(SYNTHETIC_AGES))],
  ])('has no overlapping text, wide and narrow: %s', (_, page) => {
    expect(page.split('<svg').slice(1).map(wordsOnWords)).toEqual([[], []]);
  });

  it('names the months of its table by year, or by year of the cycle if there are several cycles', () => {
    expect(renderLinesPage(linesProps(SYNTHETIC_LINES))).toContain('>January 2015<');
    const [first, second] = SYNTHETIC_LINES;
    expect(renderLinesPage(linesProps([first, { ...second, cycle: 2020 }]))).toContain('>January, first year<');
  });

  it('shows the three bases of ages of one committee side by side', () => {
    const one = SYNTHETIC_AGES.slice(0, 1);
    const [part] = agesProps(one).chart.parts;
    const bases = (['all', 'adult', 'donors'] as const).map((basis) => ({ basis, part }));
    const page = renderAgesPage({ ...agesProps(one), bases });
    expect(page.split('<svg').slice(1).map(wordsOnWords)).toEqual([[], [], [], []]);
    for (const label of ['By name<', 'By name, 18 or older<', 'All donors together<']) expect(page).toContain(label);
    expect(renderAgesPage({ ...agesProps(one), bases: bases.slice(1) })).not.toContain('three methods');
    const interval = { low: 41, high: 47 };
    const estimated = { ...part, middle: part.middle && { ...part.middle, interval } };
    const [all, adult] = bases;
    const withInterval = { ...agesProps(one), bases: [all, adult, { basis: 'donors', part: estimated } as const] };
    expect(renderAgesPage(withInterval)).toContain('The 95% interval of their median is 41 to 47.');
    expect(page).not.toContain('The 95% interval');
    const small = { basis: 'donors', part: { ...estimated, known: 99 } } as const;
    const ofSmall = renderAgesPage({ ...agesProps(one), bases: [all, adult, small] });
    expect(ofSmall).not.toContain('The 95% interval');
    expect(ofSmall).toContain(
      'With fewer than 100 donors, the estimate is shrunk toward the ages of the donors of all committees.',
    );
  });

  it('counts people with an age, and no other donors, in histograms of all donors together', () => {
    const props = agesProps(SYNTHETIC_AGES.slice(0, 1));
    const known = props.chart.parts[0].known.toLocaleString('en');
    expect(renderAgesPage({ ...props, lists: { ...props.lists, basis: ['donors'] } })).toContain(
      `>${known} with an age in 2016<`,
    );
    expect(agesPicture(props, ['donors'])).toContain(`>${known} with an age in 2016<`);
    expect(agesPicture(props)).not.toContain('with an age in');
  });

  it('names the selected candidates that it shows only for other loaded cycles', () => {
    const { facts, chart: unnamed, ...props } = linesProps(SYNTHETIC_LINES.slice(0, 1));
    const [{ id }] = unnamed.parts;
    const chart = { ...unnamed, names: new Map([[id, 'MADEUP, ANA']]) };
    const loaded = { ...facts, cycles: [2016, 2020].map(cycleFacts) };
    const page = (cycle: readonly string[], ids = [id]): string =>
      renderLinesPage({ ...props, chart, facts: loaded, lists: { candidate_id: ids, cycle } });
    expect(page(['2016', '2020'])).toContain('The chart has no data for Ana Madeup in 2020.');
    for (const other of [page(['2016']), page(['2016', '1980']), page([]), page(['2016'], [id, 'P00000009'])])
      expect(other).not.toContain('The chart has no data for');
  });

  it('warns about a key in the address instead of advising to share it', () => {
    const props = linesProps(SYNTHETIC_LINES);
    const page = (token: string | undefined): string =>
      renderLinesPage({ ...props, context: { ...props.context, token } });
    expect(page(undefined)).toContain('Share this chart with the address of this page.');
    expect(page('key')).not.toContain('Share this chart');
    expect(page('key')).toContain('The address of this page contains an API key.');
  });

  it('has an SVG file with title, source and date, without overlapping text or CSS variables', () => {
    const charts = [linesProps(SYNTHETIC_LINES), linesProps([])].map(linesPicture);
    charts.push(agesPicture(agesProps(SYNTHETIC_AGES)));
    for (const svg of charts) {
      expect(wordsOnWords(svg)).toEqual([]);
      expect(svg).toMatch(/Source: Federal Election Commission; donorlens, charts-\d+ of \d{4}-\d\d-\d\d\./);
      expect(svg).not.toContain('var(');
    }
    expect(charts[2]).toContain('Ages are estimated from first names: all people with the first name.');
    expect(charts[1]).toMatch(/<text class="heading"[^>]*>No donors match this selection<\/text>/);
  });

  it('labels lines that end early in the cycle at their end, and draws nothing like a line after it', () => {
    const early = SYNTHETIC_LINES.map((one) => ({ ...one, donors: one.donors.slice(0, 5), until: '2015-01-05' }));
    const [picture] = linesPicture(linesProps(early)).split('</style>').slice(1);
    const places = (tag: string, of: string) => [
      ...new Set([...picture.matchAll(new RegExp(`<${tag}[^>]* ${of}="([\\d.]+)"`, 'g'))].map(([, at]) => Number(at))),
    ];
    const [end] = places('circle class="end', 'cx');
    expect(places('text class="name"', 'x').map((at) => at - end)).toEqual([expect.closeTo(15, 0)]);
    expect(picture.match(/class="leader"/g)).toHaveLength(early.length);
    const few = early.map((one, at) => ({ ...one, donors: at === 0 ? [900] : [1] }));
    for (const svg of renderLinesPage(linesProps(few)).split('<svg').slice(1)) {
      const [, axis] = /data-plots="(?:[\d.]+,){3}(\d+)"/.exec(svg)!;
      const labels = [...svg.matchAll(/class="(?:name|count)"[^>]* y="([\d.]+)"/g)].map(([, y]) => Number(y));
      expect(Math.max(...labels)).toBeLessThan(Number(axis));
    }
    expect(picture).not.toMatch(/class="leader [^"]*series/);
  });

  it('states the number of matches, and that the CSV has all of them', () => {
    expect(renderLinesPage(linesProps(SYNTHETIC_LINES, 43))).toContain(
      'Shown: the 8 candidates with the most donors, of 43 matches.',
    );
    expect(renderLinesPage(linesProps(SYNTHETIC_LINES, 8))).not.toContain('Shown:');
  });

  it('of ages links to the ages without children, and states the error of both', () => {
    const { lists, ...props } = agesProps(SYNTHETIC_AGES);
    const all = renderAgesPage({ lists, ...props });
    expect(all).toContain('age_distribution/committee?cycle=2016&amp;basis=adult&amp;format=html">Leave children out');
    expect(all).toMatch(
      /members of Congress, the estimate was 15 years too low, and 11 when only people aged 18 or older count/,
    );
    const adults = renderAgesPage({ lists: { ...lists, basis: ['adult'] }, ...props });
    expect(adults).not.toContain('Leave children out');
    expect(adults).toMatch(/was 11 years too low\./);
  });

  it('has a form in which everything shown is checked, with or without its id in the URL', () => {
    const page = renderLinesPage(linesProps(SYNTHETIC_LINES));
    const boxes = [...page.matchAll(/<input type="checkbox" name="(\w+)" value="(\w+)"( checked)?/g)];
    expect(boxes.map(([, name, value, checked]) => [name, value, checked])).toEqual([
      ...SYNTHETIC_LINES.map(({ id }) => ['candidate_id', id, ' checked']),
      ['cycle', '2016', ' checked'],
    ]);
  });

  it('links to the largest of each cycle that has donors of the selected offices', () => {
    const { lists, facts, ...props } = linesProps(SYNTHETIC_LINES);
    const cycles = [cycleFacts(2016), { ...cycleFacts(2020), offices: ['H', 'S'] as const }];
    const linked = (office: readonly string[]) =>
      /with the most donors: (.*?)<\/p>/
        .exec(renderLinesPage({ ...props, lists: { ...lists, office }, facts: { ...facts, cycles } }))?.[1]
        .replace(/<[^>]+>/g, '');
    expect([linked([]), linked(['H']), linked(['P', 'S'])]).toEqual(['2016', '2020', '2020, 2016']);
  });

  it('of ages has a separate, labeled scale for fewer than 100 donors', () => {
    const [large, other] = SYNTHETIC_AGES;
    const lone = {
      ...other,
      donors: Array.from({ length: 41 }, (_, age) => (age === 40 ? 3 : 0)),
      known: 3,
      unknown: 0,
    };
    const barsOf = (...parts: DonorAges[]): string | undefined =>
      /class="histogram" d="([^"]+)"/.exec(agesPicture(agesProps(parts)))?.[1];
    expect(barsOf(large, lone)).toBe(barsOf(large, other));
    const svg = agesPicture(agesProps([large, lone]));
    expect(svg.match(/3 donors in \d{4}, own scale/g)).toHaveLength(1);
    expect(svg.match(/own scale/g)).toHaveLength(1);
  });

  it('of ages has the label of the median above its bars', () => {
    const svg = agesPicture(agesProps(SYNTHETIC_AGES.slice(0, 1).map(withAge(104))));
    const tops = [.../class="histogram" d="([^"]+)"/.exec(svg)![1].matchAll(/V([\d.]+)H/g)].map(([, y]) => Number(y));
    const label = Number(/<g class="median">.*?<text[^>]* y="([\d.]+)"/.exec(svg)?.[1]);
    expect(Math.min(...tops) - label).toBeGreaterThanOrEqual(5);
  });

  it.each([
    ['cumulative-donors-clinton-trump-2016', ['Clinton', 'Trump'], [2016, 2016]],
    ['cumulative-donors-clinton-2016-clinton-2020', ['Clinton 2016', 'Clinton 2020'], [2016, 2020]],
    ['cumulative-donors-ana-e-o-rourke-2016', ['Ana É. O’Rourke', '/../"\n'], [2016]],
  ])('has files named by subject and cycle: %s', (name, names, cycles) => {
    expect(fileName('cumulative-donors', names, cycles)).toBe(name);
  });

  it('links files with names by subject and cycle, and the SVG file without one', () => {
    const page = renderLinesPage(linesProps(SYNTHETIC_LINES));
    expect(page).toMatch(/format=xlsx&amp;filename=cumulative-donors-[a-z][\w-]+-\d{4}"/);
    expect(page).not.toMatch(/format=svg[^"]*filename=/);
    expect(renderLinesPage(linesProps(SYNTHETIC_LINES, 43))).toMatch(/filename=cumulative-donors(-\d{4})*"/);
  });

  it('escapes names', () => {
    const names = new Map([[SYNTHETIC_LINES[0].id, '<b>& "X"\u0001</b>']]);
    const { chart, ...props } = linesProps(SYNTHETIC_LINES.slice(0, 1));
    const page = renderLinesPage({ chart: { ...chart, names }, ...props });
    expect(/<h1.*<\/h1>/.exec(page)?.[0]).toContain('&lt;b>&amp; &quot;X&quot; &lt;/b>');
    expect(/<b>|\u0001/.test(page + standaloneLines({ ...chart, names }, props.facts))).toBe(false);
  });
});

type File = AboutFacts['imports']['files'][number];
const file: File = {
  ...{ kind: 'contributions', cycle: 2016, label: 'folder', source: 'part.txt', sha256: null },
  ...{ rows: 1195, rejected: 0, at: new Date('2026-01-02') },
};
const { facts: FACTS } = linesProps([]);
const factsOf = (...files: File[]): AboutFacts => ({ ...FACTS, imports: { files, filings: 0, hasSample: false } });

describe('a page of a cycle', () => {
  const noticesOf = (...files: File[]): string[] => {
    const page = renderLinesPage({ ...linesProps(SYNTHETIC_LINES), facts: factsOf(...files) });
    return [...page.matchAll(/<p class="notice">(.*?)<\/p>/gs)].map(([, notice]) => notice.replace(/<[^>]+>/g, ''));
  };

  it('states if contributions are from a file of the operator or from other files', () => {
    expect(noticesOf(file, { ...file, cycle: 2020 })).toEqual([
      expect.stringMatching(/^2016 may be incomplete\. The contributions are from a file given by the operator, /),
    ]);
    expect(noticesOf({ ...file, cycle: 2014 })).toEqual([
      expect.stringMatching(/^2016 is incomplete\. The FEC’s file /),
    ]);
    expect(noticesOf({ ...file, source: 'file:///srv/somewhere/fec/2016/indiv16.zip' })).toEqual([]);
    expect(noticesOf({ ...file, label: 'official', source: 'https://www.fec.gov/indiv16.zip' })).toEqual([]);
  });

  it('states when the data of a cycle end early, and does not call them whole', () => {
    const whole = factsOf({ ...file, label: 'official', source: 'https://www.fec.gov/indiv16.zip' });
    const lines = linesProps(SYNTHETIC_LINES);
    const facts = (newestOn: string): AboutFacts => ({
      ...whole,
      cycles: [
        { ...cycleFacts(2014), newestOn: '2013-03-04' },
        { ...cycleFacts(2016), newestOn },
      ],
    });
    const early = renderLinesPage({ ...lines, facts: facts('2016-11-30') });
    expect(early).toContain('Loaded data of the 2016 cycle end on November 30, 2016. Later contributions are missing.');
    expect(early).toContain(' in loaded 2016 data');
    expect(early).not.toContain('2014 cycle');
    expect(linesPicture({ ...lines, facts: facts('2016-11-30') })).toContain('the 2016 cycle end on November 30, 2016');
    expect(renderLinesPage({ ...lines, facts: facts('2016-12-01') })).not.toMatch(/cycle end on|loaded 2016/);
  });

  it('states the same in its SVG file, which does not compare numbers of donors', () => {
    const [lines, ages] = [linesProps(SYNTHETIC_LINES), agesProps(SYNTHETIC_AGES)];
    const given = 'may be incomplete: contributions from a file given by the operator.';
    const facts = factsOf(file);
    for (const svg of [linesPicture({ ...lines, facts }), agesPicture({ ...ages, facts })]) {
      expect(svg).toContain(`2016 ${given}`);
      expect(wordsOnWords(svg)).toEqual([]);
    }
    const cycles = Array.from({ length: 12 }, (_, at) => 1998 + 2 * at);
    const long = SYNTHETIC_LINES.slice(0, 1).flatMap((one) => cycles.map((cycle) => ({ ...one, cycle })));
    const many = linesPicture({ ...linesProps(long), facts: factsOf(...cycles.map((cycle) => ({ ...file, cycle }))) });
    expect(wordsOnWords(many)).toEqual([]);
    const below = [...many.matchAll(/<text x="12" y="\d+">([^<]+)</g)].map(([, text]) => text);
    expect(Math.max(...below.map(({ length }) => length))).toBeLessThan(120); // width of 760 units
    expect(many).toMatch(/<text x="12" y="\d+">1998, 2000, [^<]+<\/text><text x="12" y="\d+">[^<]*operator\.<\/text>/);
    expect(linesPicture({ ...lines, facts: factsOf() })).toContain('2016 is incomplete. The FEC’s file of the cycle');
    expect(linesPicture({ ...lines, facts })).toMatch(/<title[^>]*>\S+ had [\d,]+ donors in loaded 2016 data, \S+ \d/);
    const whole = linesPicture({ ...lines, facts: factsOf({ ...file, source: 'https://www.fec.gov/indiv16.zip' }) });
    expect(whole).toMatch(/<title[^>]*>\S+ had \S+ more donors than /);
    expect(whole).not.toMatch(/incomplete|loaded/);
    expect(linesPicture(lines)).toContain('Synthetic sample data');
  });
});

describe('the list of charts', () => {
  it('states why a candidate has no chart of ages', () => {
    const { facts, context } = linesProps(SYNTHETIC_LINES);
    const entry = { cycle: 2024, candidateId: 'P00000001', name: 'DOE, PAT', donors: 5 };
    const listed = (committees: AboutFacts['index'][number]['committees']): string =>
      renderToString(<AboutCharts facts={{ ...facts, index: [{ ...entry, committees }] }} context={context} />);
    expect(listed([{ id: 'C00000001', name: 'FRIENDS' }])).not.toContain('–');
    expect(listed([])).toMatch(
      /<span title="No principal committee [^"]+">–<\/span>.*<p class="quiet">– No principal /,
    );
  });
});

describe('the headline', () => {
  const [first] = SYNTHETIC_LINES;
  const line = (donors: number[], cycle = 2016, id = 'P1') => ({
    ...first,
    id,
    cycle,
    donors,
    until: `${cycle - 1}-03-01`,
  });
  const chartOf = (lines: readonly (typeof first)[]) => ({
    ...linesProps(lines).chart,
    names: new Map([['P2', 'ROE, RAY LEE']]),
  });
  const ofLines = (...lines: (typeof first)[]): string => textOf(linesHeadline(chartOf(lines), FACTS));
  const numbersOf = (...lines: (typeof first)[]): string => linesSubtitle(chartOf(lines));

  it('of one line is the number of donors, with the day on which half of them had given', () => {
    const four = line([1, 2, 4, 4]);
    expect(ofLines(four)).toBe('P1 had 4 donors in 2016');
    expect(numbersOf(four)).toBe('4 donors by March 1, 2015; half of them had given by January 2, 2015.');
    expect([ofLines(line([0, 1])), numbersOf(line([0, 1]))]).toEqual([
      'P1 had 1 donor in 2016',
      '1 donor by March 1, 2015.',
    ]);
  });

  it('of several lines is which candidate had the most donors, and how many more than the next', () => {
    const three = [line([600]), line([500], 2016, 'P2'), line([1], 2016, 'P3')];
    expect(ofLines(...three)).toBe('P1 had 20% more donors than Ray Roe in 2016');
    expect(numbersOf(...three)).toBe('Unique donors until March 1, 2015: P1 600, Ray Roe 500.');
    const cycles = [line([600]), line([200], 2020)];
    expect(ofLines(...cycles)).toBe('P1 (2016) had 3 times as many donors as P1 (2020)');
    expect(numbersOf(...cycles)).toBe('Unique donors: P1 (2016) 600 by March 1, 2015, P1 (2020) 200 by March 1, 2019.');
    expect(ofLines(line([6]), line([6], 2016, 'P2'))).toBe('P1 and Ray Roe had equally many donors in 2016');
    expect(ofLines(...['P1', 'P3', 'P2', 'P4', 'P5'].map((id) => line([id === 'P5' ? 5 : 6], 2016, id)))).toBe(
      '4 candidates had equally many donors in 2016',
    );
    expect(ofLines(line([600]), line([99], 2016, 'P2'))).toBe('P1 had 600 donors in 2016, Ray Roe 99');
    expect(ofLines(line([6]), line([0], 2016, 'P2'))).toBe('P1 had 6 donors in 2016, Ray Roe none');
  });

  it.each([
    [[line([6]), line([5], 2016, 'P2'), line([1], 2016, 'P3')], 'P1 had 6 donors in loaded 2016 data, Ray Roe 5'],
    [[line([6]), line([2], 2020)], 'P1 (2016) had 6 donors in loaded data, P1 (2020) 2'],
    [[line([6]), line([0], 2016, 'P2')], 'P1 had 6 donors in loaded 2016 data, Ray Roe none'],
    [[line([6])], 'P1 had 6 donors in loaded 2016 data'],
    [[line([6]), line([6], 2016, 'P2')], 'P1 and Ray Roe had equally many donors in loaded 2016 data'],
  ])('gives only the numbers in the loaded data if a cycle may be incomplete: %#', (lines, headline) => {
    expect(textOf(linesHeadline(chartOf(lines), factsOf({ ...file, cycle: 2016 })))).toBe(headline);
  });

  it('has at most 14 words with usual names', () => {
    const wordsOf = (text: string): number => text.split(' ').length;
    const names = new Map([
      ['P1', 'CLINTON, HILLARY RODHAM / TIMOTHY MICHAEL KAINE'],
      ['P2', 'TRUMP, DONALD J.'],
    ]);
    const two = [line([6]), line([5], 2016, 'P2')];
    for (const lines of [two, [line([6]), line([2], 2020, 'P2')], [line([6])], [line([6]), line([6], 2016, 'P2')]])
      for (const facts of [FACTS, factsOf(file)])
        expect(wordsOf(textOf(linesHeadline({ ...linesProps(lines).chart, names }, facts)))).toBeLessThanOrEqual(14);
    const ages = ([1200, 99] as const).map((known, at) => ({ ...SYNTHETIC_AGES[0], id: `P${at + 1}`, known }));
    const small = ages.map((one) => ({ ...one, known: 99 }));
    for (const parts of [ages, small])
      expect(wordsOf(textOf(agesHeadline({ ...agesProps(parts).chart, names }, FACTS)))).toBeLessThanOrEqual(14);
  });
});
