import { GroupedAges } from '@donorlens/demographics';
import { type Release } from '@donorlens/reference-data';
import { wordsOnRules, wordsOnWords } from '../../../../../test/support/browser/drawn-words';
import { markupFlaws } from '../../../../../test/support/browser/markup-flaws';
import { sampleTables } from '../../../../../test/support/reference-data/sample-tables';
import { ageAnswer } from '../../lookups/age-gender-results';
import { headline, subtitle } from './age-headline';
import { count, percent } from '../layout/labels';
import { standaloneChart } from './age-chart';
import { chartData } from './age-geometry';
import { renderAgePage } from './age-page';

describe('the page of a name', () => {
  let release: Release;
  beforeAll(async () => {
    release = await sampleTables();
  });
  const page = (name: string, date = '2017-07-01', minAge = 0, apiKey?: string): string =>
    renderAgePage(ageAnswer(release, name, date, minAge), release, { user: null, apiKey });

  it('has the finding as its headline', () => {
    const mary = ageAnswer(release, 'Mary', '2017-07-01', 18);
    expect(headline(mary)).toMatch(/^Mary: most likely female, median age \d+$/);
    expect(subtitle(mary)).toBe(
      'Over 99.9% of all births with this first name are girls; of living adults over 99.9% are women. ' +
        'Median age of people aged 18 or older living on July 1, 2017.',
    );
    expect(headline(ageAnswer(release, 'Mary', '2150-01-01', 0))).toMatch(/, none are expected to be living$/);
    const without = { median: null, q25: null, q75: null, livingM: 0, livingF: 0 };
    const old = { ...mary, minAge: 90, distribution: { ...mary.distribution!, ...without } };
    expect(headline(old)).toMatch(/, none aged 90 or older are expected to be living$/);
    expect(subtitle(old)).toMatch(/ are girls\. As of July 1, 2017\.$/);
    expect(renderAgePage(old, release, { user: null, apiKey: undefined })).not.toContain('the age among');
    const early = ageAnswer(release, 'Mary', '1870-07-01', 0);
    expect(headline(early)).toBe('Mary: no births are recorded by July 1, 1870');
    expect(subtitle(early)).toMatch(/^The records of this name begin in \d{4}, so it has no age on this date\.$/);
    expect(page('Mary', '1870-07-01')).not.toMatch(/Births in|Data table|>SVG</);
    const unknown = ageAnswer(release, 'Nosuch', '2017-07-01', 0);
    expect(headline(unknown)).toContain('is not in the sample');
    expect(headline(ageAnswer({ ...release, label: 'official' }, 'Nosuch', '2017-07-01', 0))).toContain(
      'is not in the national birth records',
    );
  });

  it('counts births until the year of the date', () => {
    const { distribution } = ageAnswer(release, 'Mary', '1900-07-01', 0);
    const births = distribution!.cohorts
      .filter(({ year }) => year <= 1900)
      .reduce((sum, { bornM, bornF }) => sum + bornM + bornF, 0);
    expect(births).toBeGreaterThan(0);
    expect(page('Mary', '1900-07-01')).toMatch(new RegExp(`Births \\d{4}–1900</dt><dd>${count(births)}<`));
  });

  it('warns of a date in the future', () => {
    const { cohorts } = ageAnswer(release, 'Mary', '2150-01-01', 0).distribution!;
    expect(page('Mary', '2150-01-01')).toContain(
      `The date is in the future.</strong> The living are projected, without people born after ${cohorts.at(-1)!.year}. For`,
    );
    expect(page('Mary')).not.toMatch(/in the future|people born after/);
  });

  it('links an unknown name to the search if the user has the scope for it', () => {
    const unknown = ageAnswer(release, 'Nosuch', '2017-07-01', 0);
    const pageFor = (scopes: readonly string[]): string =>
      renderAgePage(unknown, release, {
        user: { keyName: 'k', scopes: new Set(scopes), csrf: 'c' },
        apiKey: undefined,
      });
    expect(pageFor(['charts:read'])).toContain('<a href="/search?q=Nosuch">Search for similar names</a>');
    expect(pageFor(['enrich:read'])).not.toContain('similar');
  });

  it('for donors states that the ages are those of donors, not of the living', () => {
    const shares = Array<number>(93).fill(1 / 93);
    const groups = [2012, 2016].map((year) => ({ year, shares, maleShare: 0.5, people: year - 452 }));
    const donors = new GroupedAges(release.demographics.groupAges, groups);
    const answer = ageAnswer(release, 'Mary', '2017-07-01', 0, donors);
    expect(subtitle(answer)).toMatch(
      / Median age of donors with this name on July 1, 2017, estimated from all 1,564 donors of the 2016 cycle\.$/,
    );
    const html = renderAgePage(answer, release, { user: null, apiKey: undefined });
    expect(html).toContain('The age is the median age of donors with the name, estimated from');
    expect(html).toContain('Half of the donors are');
    expect(html).not.toContain('median age of the living');
    expect(html).not.toContain('Few donors');
    const small = (people: number): string => {
      const few = new GroupedAges(release.demographics.groupAges, [{ ...groups[1], people }]);
      const answer = ageAnswer(release, 'Mary', '2017-07-01', 0, few);
      return renderAgePage(answer, release, { user: null, apiKey: undefined });
    };
    expect(small(18)).toContain('Only 18 donors of the 2016 cycle are loaded');
    expect(small(1)).toContain('Only 1 donor of the 2016 cycle is loaded');
    expect(page('Mary')).toContain('The age is the median age of the living.');
  });

  it('states if most births are of one sex and most living people of the other', () => {
    const answer = ageAnswer(release, 'Casey', '2017-07-01', 18);
    const distribution = { ...answer.distribution!, gender: 'f', genderProbability: 0.69, livingM: 956, livingF: 44 };
    const unisex = { ...answer, distribution } as typeof answer;
    expect(headline(unisex)).toMatch(/^Casey: mostly girls by births, mostly men among living adults, median age \d+$/);
    expect(subtitle(unisex)).toContain(
      '69% of all births with this first name are girls; of living adults 4.4% are women.',
    );
    expect(headline({ ...unisex, minAge: 0 })).toContain('mostly male among the living');
    expect(subtitle({ ...unisex, minAge: 0 })).toContain('; of the living 4.4% are female.');
  });

  it('marks median and quartiles on a chart with a text alternative', () => {
    const html = page('Mary');
    const { distribution } = ageAnswer(release, 'Mary', '2017-07-01', 0);
    expect(html).toContain(`>median ${distribution?.median}<`);
    expect(html).toMatch(/<svg[^>]* role="img" aria-labelledby="wide-title wide-desc"/);
    expect(html.match(/<svg/g)).toHaveLength(2);
    expect(html).toMatch(/<path class="living" data-series="1" d="M/);
    expect(html).toMatch(/<path class="born" data-series="0" d="M/);
  });

  it('labels the people that the chart counts', () => {
    expect(page('Mary')).toContain('"name":"Living"');
    expect(page('Mary', '2017-07-01', 18)).toContain('"name":"Living, age 18 or older"');
  });

  const flawsOf = (svg: string): string[] =>
    [...wordsOnWords(svg), ...wordsOnRules(svg, 'quartile'), ...wordsOnRules(svg, 'median')].filter(
      (words) => words !== 'living',
    );

  it('has no text that overlaps other text, the median or a quartile line, wide and narrow', () => {
    const names = ['Mary', 'Mildred', 'Carol', 'Ashley', 'Casey', 'Kelly'];
    for (const name of names)
      for (const svg of page(name).split('<svg').slice(1)) expect([name, flawsOf(svg)]).toEqual([name, []]);
  });

  it('labels the living within their area, also if that is narrow', () => {
    let labels = 0;
    for (const year of [1890, 1900, 1910, 1920])
      for (const svg of page('Mary', `${year}-07-01`).split('<svg').slice(1)) {
        const label = Number(/class="name name-living"[^>]* x="([\d.]+)"/.exec(svg)?.[1]);
        if (Number.isNaN(label)) continue;
        labels++;
        const [, area] = /class="living"[^>]* d="([^"]+)"/.exec(svg)!;
        const edges = [...area.matchAll(/([\d.]+),/g)].map(([, x]) => Number(x));
        expect([year, label - Math.min(...edges) > 20, Math.max(...edges) - label > 20]).toEqual([year, true, true]);
      }
    expect(labels).toBeGreaterThan(0);
  });

  it('has room for the year at the right edge', () => {
    const years = /viewBox="0 0 (\d+)(?:(?!<svg).)*<text x="([\d.]+)"[^>]*>2060</g;
    const edges = [...page('Mary', '2060-01-01').matchAll(years)].map(([, width, at]) => Number(width) - Number(at));
    expect(edges.length).toBeGreaterThan(0);
    expect(Math.min(...edges)).toBeGreaterThanOrEqual(2 * 7.7); // half of four wide digits
  });

  it('labels the line of births left of the quartiles if the name became common just after them', () => {
    const answer = ageAnswer(release, 'Mary', '2005-11-03', 0);
    const cohorts = answer.distribution!.cohorts.map((cohort) => ({
      ...cohort,
      bornF: cohort.year < 1995 ? 1 : 100 * (cohort.year - 1994),
    }));
    const svg = standaloneChart(
      { ...answer, distribution: { ...answer.distribution!, cohorts, q25: 5, median: 6, q75: 9 } },
      release,
    );
    expect(flawsOf(svg)).toEqual([]);
  });

  it('has charts by sex at the same scale only if each sex has a tenth of the living', () => {
    const html = page('Casey');
    expect(html.match(/<svg/g)).toHaveLength(4);
    const { sexes } = ageAnswer(release, 'Casey', '2017-07-01', 0);
    for (const ages of [sexes?.f, sexes?.m]) expect(html).toContain(`, median age ${ages?.median}<`);
    const scales = html
      .split('<svg')
      .slice(3)
      .map((svg) => [...svg.matchAll(/text-anchor="end">([\d.kM]+)</g)].join());
    expect(scales[0]).toBe(scales[1]);
    for (const name of ['Kelly', 'Carol']) {
      const { distribution } = ageAnswer(release, name, '2017-07-01', 0);
      const { livingM = 0, livingF = 0 } = distribution ?? {};
      expect([name, page(name).match(/<svg/g)?.length]).toEqual([name, livingM / (livingM + livingF) < 0.1 ? 2 : 4]);
    }
  });

  it('gives advice for an unknown name', () => {
    expect(page('Nosuch')).toContain('at least five children');
    expect(page('Nosuch')).toContain('action="/enrich/v1/age_gender/ask"');
    expect(page('Mary')).toContain('Show the age among donors');
    expect(page('Nosuch')).not.toContain('the age among');
    expect([page('Nosuch').includes('>SVG<'), page('Mary').includes('>SVG<')]).toEqual([false, true]);
  });

  it('has no inline scripts or styles and no external files, and marks sample data', () => {
    const html = page('Mary', '2017-07-01', 0, 'k"ey');
    expect(html).not.toMatch(
      /<script(?! type="module" src="\/assets\/| class="chart-data" type="application\/json")|\sstyle=|<style|\son\w+=/,
    );
    expect(html.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:/);
    expect(html).toContain('describe no real people');
    expect(html).toContain('name="apiKey" value="k&quot;ey"');
    expect(html).toContain('apiKey=k%22ey');
  });

  it.each([`<img src=x onerror=alert(1)>`, `"'><svg/onload=1>`, '&lt;', '`${7*7}`', '\u202eevil'])(
    'escapes %s',
    (name) => {
      const html = page(name);
      expect(html).not.toContain('<img');
      expect(html).not.toContain('<svg/');
      expect(standaloneChart(ageAnswer(release, name, '2017-07-01', 0), release)).not.toContain('<img');
    },
  );

  it('works for every date, including dates outside the records', () => {
    for (const date of ['1000-01-01', '1880-01-01', '1880-12-31', '1881-12-31', '2143-12-31', '9999-12-31'])
      for (const html of [page('Mary', date), standaloneChart(ageAnswer(release, 'Mary', date, 0), release)])
        expect(html).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('ends the curves with the last complete year before the date', () => {
    const last = (date: string): number | undefined => {
      const { distribution, on } = ageAnswer(release, 'Mary', date, 0);
      return distribution ? chartData(distribution, on).points.at(-1)?.at : undefined;
    };
    expect([last('2000-07-01'), last('2000-12-31')]).toEqual([1999.5, 2000.5]);
  });

  it('has an SVG file with title, source, date, plain colors and a size', () => {
    const svg = standaloneChart(ageAnswer(release, 'Mary', '2017-07-01', 0), release);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]* width="760" height="\d+"[^>]*><style>/);
    expect(svg).not.toMatch(/var\(|:root|@media/);
    expect(svg).toMatch(/<text class="heading"[^>]*>Mary: most likely female, median age \d+<\/text>/);
    expect(svg).toContain(`Synthetic sample; donorlens, data release ${release.id}. Ages on July 1, 2017.`);
    expect(wordsOnWords(svg)).toEqual([]);
  });

  it.each(['Mary', 'Wqzx', '', '<b>&amp;]]>"\u0027', 'a\u0001b\uffff'])('is well-formed as an SVG file: %j', (name) => {
    expect(markupFlaws(standaloneChart(ageAnswer(release, name, '2017-07-01', 0), release))).toEqual([]);
  });

  it('rounds numbers so that a few are not 0 and almost all are not 100%', () => {
    expect([count(1234567.6), count(0.3), count(0)]).toEqual(['1,234,568', '< 1', '0']);
    expect([percent(0.9961), percent(0.99999), percent(1)]).toEqual(['99.6%', 'over 99.9%', '100%']);
  });
});
