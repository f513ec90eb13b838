import { type CohortCount } from '@donorlens/demographics';
import { parseCivilDay } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import fc from 'fast-check';
import { markupFlaws } from '../../../../../test/support/browser/markup-flaws';
import { sampleTables } from '../../../../../test/support/reference-data/sample-tables';
import { type AgeAnswer, ageAnswer } from '../../lookups/age-gender-results';
import { textOf } from '../layout/headline';
import { livingByAge, namesHeadline, renderNamesPage, standaloneNames } from './names-page';

const cohort = (year: number, living: number): CohortCount => ({
  ...{ year, bornM: living, bornF: 0, livingM: living, livingF: 0 },
});
const answer = (date: string, cohorts: readonly CohortCount[], minAge = 0) =>
  ({ on: parseCivilDay(date), minAge, distribution: { cohorts } }) as unknown as AgeAnswer;

describe('living people by age', () => {
  it('are split between two ages by the elapsed part of the year', () => {
    // noon of July 2 is the middle of 2017
    const living = livingByAge(answer('2017-07-02', [cohort(2014, 40), cohort(2015, 80), cohort(2017, 10)]));
    expect(living).toEqual([10, 40, 60, 20]);
  });

  it('all have the minimum age if their cohort has just reached it', () => {
    expect(livingByAge(answer('2017-07-02', [cohort(1999, 40), cohort(1998, 80)], 18)).slice(17)).toEqual([0, 80, 40]);
  });

  it('add up to the living', () => {
    const cohorts = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 120 });
    fc.assert(
      fc.property(cohorts, fc.integer({ min: 1, max: 28 }), fc.constantFrom(0, 18), (people, date, minAge) => {
        const on = `2016-02-${String(date).padStart(2, '0')}`;
        const reached = people.map((living, back) => cohort(2016 - back, back < minAge ? 0 : living));
        const all = reached.reduce((sum, { livingM }) => sum + livingM, 0);
        const living = livingByAge(answer(on, reached, minAge));
        const sum = living.reduce((total, one) => total + one, 0);
        expect(sum).toBeCloseTo(all);
        expect(living.slice(0, minAge).every((one) => one === 0)).toBe(true);
      }),
    );
  });
});

describe('the page of several names', () => {
  let release: Release;
  beforeAll(async () => {
    release = await sampleTables();
  });
  const answers = (...names: string[]) => names.map((name) => ageAnswer(release, name, '2017-07-01', 18));
  const reader = { user: null, apiKey: undefined };
  const aged = (name: string, median: number | null) => ({ name, distribution: { median } }) as unknown as AgeAnswer;
  const headline = (...names: AgeAnswer[]): string => textOf(namesHeadline(names));

  it('states which name is the oldest', () => {
    const [linda, emma, ann] = [aged('Linda', 64), aged('Emma', 17), aged('Ann', 60)];
    expect(headline(emma, linda)).toBe('Linda is older than Emma: median age 64 and 17');
    expect(headline(emma, linda, ann)).toBe('Of 3 names, Linda is the oldest (median 64), Emma the youngest (17)');
    expect(headline(linda, aged('Lynda', 64))).toBe('Linda and Lynda have the same median age, 64');
    expect(headline(linda, aged('Nosuch', null))).toBe('Linda has a median age of 64');
    expect(headline(aged('Maud', null))).toBe('No living people are expected to have these names');
    expect(headline(...answers('Nosuch', 'Wqzx'))).toBe('These names are not in the sample');
  });

  it('has a histogram for each known name, and lists unknown names', () => {
    const html = renderNamesPage(answers('Mary', 'Casey', 'Nosuch'), release, reader).replace(/<!-- -->/g, '');
    expect(html.match(/<path class="histogram"/g)).toHaveLength(4); // wide and narrow
    expect(html).toContain('Nosuch</bdi></a> is not in the sample');
    expect(html).toContain(
      '/name/Mary/date/2017-07-01?compare=Nosuch&amp;format=html&amp;min_age=18" aria-label="Remove Casey"',
    );
    expect(renderNamesPage(answers('A', 'B', 'C', 'D'), release, reader)).toContain('Maximum of 4 names reached');
  });

  it('has the few oldest people of a name up to the oldest visible bar of any name, and no older ones', () => {
    const of = (name: string, cohorts: readonly CohortCount[]): AgeAnswer => ({
      ...answers('Mary')[0],
      ...{ name, distribution: { ...answers('Mary')[0].distribution!, cohorts } },
    });
    const young = of('Young', [cohort(1917, 1), cohort(1937, 1), cohort(1987, 100_000)]);
    const html = renderNamesPage([young, of('Old', [cohort(1937, 5_000)])], release, reader);
    const [, json] = /type="application\/json"[^>]*>(.*?)<\/script>/s.exec(html)!;
    const { series } = JSON.parse(json) as { series: { values: number[] }[] };
    expect(series.map(({ values }) => values.findLastIndex((people) => people > 0))).toEqual([16, 16]);
  });

  it('has a picture with valid markup for any names', () => {
    const names = answers('"><script>', 'Mary & ]]> \u0000', 'Mary');
    for (const some of [names, answers('Nosuch', 'Wqzx')])
      expect(markupFlaws(standaloneNames(some, release))).toEqual([]);
    expect(standaloneNames(names, release)).toContain('Ages of people aged 18 or older living on July 1, 2017.');
    expect(renderNamesPage(names, release, reader)).not.toContain('<script>');
  });
});
