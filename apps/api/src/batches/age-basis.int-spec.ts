import { type Pool } from 'pg';
import { ChartVersionWatch, refreshCharts } from '@donorlens/charts';
import { PG_POOL } from '@donorlens/database';
import { yearGroup } from '@donorlens/demographics';
import { civilDay } from '@donorlens/primitives';
import { ReleaseHolder } from '@donorlens/reference-data';
import { GIFT, makePartitions, storeContributions } from '../../../../test/support/fec-data/contribution-rows';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';

const BATCHES = '/enrich/v1/batches';
const CSV = { 'content-type': 'text/csv' };

describe('age_basis', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi({ CHUNK_ROWS: '10' });
  });
  afterAll(() => api.close());

  /** A file with one Mary and many people of another name. */
  const csvOf = (name: string) =>
    `first_name,date\nMary,2016-10-01\n${`${name},2016-10-01\n`.repeat(300)}Nosuch,2016-10-01\n`;
  const submitted = async (csv: string, query: string): Promise<string> => {
    const answer = await api.post(`${BATCHES}?type=age_gender&${query}`, csv, CSV);
    expect(answer.status).toBe(202);
    return ((await answer.json()) as { links: { self: string } }).links.self;
  };
  const agesOf = async (self: string, query = ''): Promise<(number | null)[]> => {
    const answer = await api.send(`${self}/results?format=json${query}`);
    return ((await answer.json()) as { results: { age: number | null }[] }).results.map(({ age }) => age);
  };
  const faults = async (answer: Response) =>
    [answer.status, ((await answer.json()) as { errors?: unknown }).errors] as const;
  const query = { queries: [{ date: '2016-10-01', name: 'Mary' }] };
  const ageAt = async (parameters: string): Promise<number> => {
    const answer = await api.post(`/enrich/v1/age_gender?${parameters}`, query);
    return ((await answer.json()) as { results: { age: number }[] }).results[0].age;
  };

  it('group: estimates ages from all names of the batch after it has ended', async () => {
    const [old, young] = [
      await submitted(csvOf('Dorothy'), 'age_basis=group'),
      await submitted(csvOf('Jennifer'), 'age_basis=group'),
    ];
    expect(await agesOf(old, '&partial=true')).toEqual([]);
    await api.work();
    const [ofOld, ofYoung] = [await agesOf(old), await agesOf(young)];
    expect(ofOld).toHaveLength(302);
    expect(ofOld[0]).toBeGreaterThan(ofYoung[0]!);
    expect(ofOld.at(-1)).toBeNull();
    expect(await agesOf(old)).toEqual(ofOld);
    const csv = await (await api.send(`${old}/results`)).text();
    expect(csv.split('\n')[0]).toBe('first_name,date,AGE,GENDER');
    expect(
      csv
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[2]),
    ).toEqual(ofOld.map((age) => String(age ?? '')));
  });

  it('group: estimates the ages of a year on the mean day of its rows', async () => {
    const self = await submitted(
      'first_name,date\nMary,2016-09-01\nMary,2016-09-30\nJohn,2016-09-23\n',
      'age_basis=group',
    );
    await api.work();
    await agesOf(self);
    const stored = await api.app
      .get<Pool>(PG_POOL)
      .query<{ groups: unknown }>('select groups from batch_ages where batch_id = $1', [self.split('/').at(-1)]);
    const { ages, groupAges } = api.app.get(ReleaseHolder).current()!.demographics;
    const on = civilDay(2016, 9, 18);
    const people = [
      { name: ages.nameIndex('John'), on, people: 1 },
      { name: ages.nameIndex('Mary'), on, people: 2 },
    ].sort((a, b) => a.name - b.name);
    expect(stored.rows[0].groups).toEqual([yearGroup(2016, groupAges.estimate(people, groupAges.adults(on)))]);
  });

  it('adult: equals min_age=18', async () => {
    expect(await ageAt('age_basis=adult')).toBe(await ageAt('min_age=18'));
    const [adult, least] = [
      await submitted(csvOf('John'), 'age_basis=adult'),
      await submitted(csvOf('John'), 'min_age=18'),
    ];
    await api.work();
    expect(await agesOf(adult)).toEqual(await agesOf(least));
  });

  it('rejects an unknown basis with the allowed values, and a minimum age that contradicts it', async () => {
    expect(await faults(await api.post('/enrich/v1/age_gender?age_basis=group', query))).toEqual([
      400,
      [{ pointer: '/query/age_basis', detail: 'must be one of name, adult, donors' }],
    ]);
    expect(await faults(await api.post(`${BATCHES}?age_basis=old`, csvOf('John'), CSV))).toEqual([
      400,
      [{ pointer: '/query/age_basis', detail: 'must be one of name, adult, donors, group' }],
    ]);
    expect(await faults(await api.post(BATCHES, { type: 'age_gender', age_basis: 'old', ...query }))).toEqual([
      400,
      [{ pointer: '/age_basis', detail: 'must be one of name, adult, donors, group' }],
    ]);
    const replaced = { type: 'age_gender', min_age: 'x', ...query }; // the URL has another minimum age
    expect(await faults(await api.post(`${BATCHES}?min_age=18`, replaced))).toEqual([
      400,
      [{ pointer: '/min_age', detail: 'must be a whole number from 0 to 100' }],
    ]);
    const both = { type: 'age_gender', age_basis: 'adult', min_age: 40, ...query };
    expect(await faults(await api.post(BATCHES, both))).toEqual([
      400,
      [{ pointer: '/min_age', detail: 'is 18 with age_basis=adult' }],
    ]);
    expect(await faults(await api.post('/enrich/v1/contributions?age_basis=adult&min_age=40', query))).toEqual([
      400,
      [{ pointer: '/query/min_age', detail: 'is 18 with age_basis=adult' }],
    ]);
  });

  it('donors: answers 409 with the import command until a cycle is stored, then the ages of its donors', async () => {
    const paths = ['/enrich/v1/age_gender', '/enrich/v1/contributions'].map((path) => `${path}?age_basis=donors`);
    for (const answer of [
      ...(await Promise.all(paths.map((path) => api.post(path, query)))),
      await api.send('/enrich/v1/age_gender/name/Mary/date/2016-10-01?age_basis=donors'),
      await api.post(`${BATCHES}?age_basis=donors&type=age_gender`, csvOf('John'), CSV),
    ]) {
      const problem = await answer.text();
      expect([answer.status, problem]).toEqual([409, expect.stringContaining('bin/donorlens import fec --cycle')]);
      expect(problem).toContain('no-donor-ages');
    }
    await storeDonors('dorothy');
    const [all, adult, donors] = [
      await ageAt('age_basis=name'),
      await ageAt('age_basis=adult'),
      await ageAt('age_basis=donors'),
    ];
    expect([adult >= all, donors > adult]).toEqual([true, true]);
    const page = await api.send(
      '/enrich/v1/age_gender/name/Mary/date/2016-10-01?age_basis=donors&format=json&detail=true',
    );
    const detail = (await page.json()) as Record<string, number>;
    expect(detail).toMatchObject({ age: donors });
    expect([detail.age_q25 <= donors, donors <= detail.age_q75]).toEqual([true, true]);
    const contribution = await api.post(paths[1], {
      queries: [{ first_name: 'Mary', date: '2016-10-01' }, { first_name: 'Mary' }],
    });
    expect(((await contribution.json()) as { results: { age: number }[] }).results.map(({ age }) => age)).toEqual([
      donors,
      null,
    ]);
  });

  it('donors: keeps the ages of a batch when charts are rebuilt later', async () => {
    const batch = await submitted(csvOf('John'), 'age_basis=donors');
    expect(await agesOf(batch, '&partial=true')).toEqual([]);
    await api.work();
    const before = await agesOf(batch);
    expect(before[0]).toBe(await ageAt('age_basis=donors'));
    await storeDonors('jennifer', 1000);
    expect(await ageAt('age_basis=donors')).toBeLessThan(before[0]!);
    expect(await agesOf(batch)).toEqual(before);
  });

  async function storeDonors(firstName: string, from = 0): Promise<void> {
    const pool = api.app.get<Pool>(PG_POOL);
    await makePartitions(pool, [2016]);
    const rows = Array.from({ length: 100 }, (_, at) => ({
      ...GIFT,
      rowId: from + at,
      donorKey: from + at + 1,
      firstName,
    }));
    await storeContributions(pool, rows);
    const { demographics } = api.app.get(ReleaseHolder).current()!;
    await refreshCharts(pool, { demographics: () => Promise.resolve(demographics) });
    await api.app.get(ChartVersionWatch).refreshNow();
  }
});
