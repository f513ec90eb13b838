import { parse } from 'csv-parse/sync';
import { NAME_DETAIL_COLUMNS } from '@donorlens/primitives';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';

const ADDED = NAME_DETAIL_COLUMNS.length;

describe('results with detail', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi({ CHUNK_ROWS: '1000' });
  });
  afterAll(() => api.close());

  async function finished(csv: string, query = ''): Promise<string> {
    const sent = await api.post(`/enrich/v1/batches${query}`, csv, { 'content-type': 'text/csv' });
    const { links } = (await sent.json()) as { links: { results: string } };
    await api.work();
    return links.results;
  }
  const text = async (path: string): Promise<string> => (await api.send(path)).text();

  it('have the default columns with the same bytes, followed by the additional columns', async () => {
    const note = '"a ""note"",\nof two lines"';
    const rows = ['Mary,Garcia,2016-10-01,', `Qqqqqx,Qqqqqx,2016-10-01,${note}`, 'Mary,Garcia,never,', 'James,Smith,,'];
    const path = await finished(
      `first_name,surname,date,note\n${rows.join('\n')}\n${'Mary,Garcia,2016-10-01,x\n'.repeat(2500)}`,
      '?min_age=18',
    );
    const [plain, detailed] = [await text(path), await text(`${path}?detail=true`)].map((csv) => parse(csv));
    expect(detailed[0].slice(-ADDED)).toEqual([...NAME_DETAIL_COLUMNS]);
    expect(detailed.map((row) => row.slice(0, -ADDED))).toEqual(plain);
    const of = (row: number): string[] => detailed[row].slice(-ADDED);
    const mary = ['mary', 'GARCIA', 'person', 'adult', 'surname'];
    expect(of(1).slice(4)).toEqual(mary);
    expect(Number(of(1)[0])).toBeGreaterThanOrEqual(18);
    expect(Number(of(1)[1])).toBeGreaterThan(Number(of(1)[0]));
    for (const share of of(1).slice(2, 4)) expect(share).toMatch(/^(1|0\.\d+)$/);
    expect(of(2)).toEqual(['', '', '', '', '', '', 'person', '', '']);
    expect(of(3)).toEqual(Array.from({ length: ADDED }, () => '')); // an invalid row has no detail
    expect(of(4).slice(4)).toEqual(['james', '', 'person', '', '']);
    expect(detailed).toHaveLength(2505);
    expect(of(2504)).toEqual(of(1));
  });

  it('have lower-case keys in JSON, and only the columns of the batch type', async () => {
    const path = await finished('surname,year\nGarcia,2016\n', '?type=ethnicity');
    const [row] = (JSON.parse(await text(`${path}?format=json&detail=true`)) as { results: object[] }).results;
    const plain = (JSON.parse(await text(`${path}?format=json`)) as { results: object[] }).results;
    expect(row).toEqual({ ...plain[0], surname_key: 'GARCIA', name_kind: 'person', ethnicity_basis: 'surname' });
    const ages = await finished('first_name,date\nMary,2016-10-01\n', '?type=age_gender');
    expect((await text(`${ages}?detail=true`)).split('\n')[0]).toBe(
      'first_name,date,AGE,GENDER,AGE_Q25,AGE_Q75,GENDER_PROB,FEMALE_SHARE_LIVING,FIRST_NAME_KEY,NAME_KIND,AGE_BASIS',
    );
    const answer = JSON.parse((await text(`${ages}?format=ndjson&detail=true`)).trim()) as object;
    expect(answer).toMatchObject({ first_name_key: 'mary', name_kind: 'person', age_basis: 'name' });
  });

  it('begin with a byte order mark on request, but only in CSV', async () => {
    const path = await finished('first_name,date\nMary,2016-10-01\n', '?type=age_gender');
    const bytes = await (await api.send(`${path}?bom=true`)).arrayBuffer();
    expect(Buffer.from(bytes)).toEqual(Buffer.from(`\ufeff${await text(path)}`));
    expect(await text(`${path}?bom=true&format=ndjson`)).toMatch(/^\{/);
  });

  it('are rejected for the errors file, whose rows have no result', async () => {
    const path = await finished('first_name,date\nMary,2016-10-01\n', '?type=age_gender');
    expect((await api.send(`${path.replace(/results$/, 'errors')}?detail=true`)).status).toBe(400);
  });
});
