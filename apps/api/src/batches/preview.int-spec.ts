import { PG_POOL } from '@donorlens/database';
import { type Pool } from 'pg';
import { gzipSync } from 'node:zlib';
import { TABLE_FILE_TYPES } from '@donorlens/tabular';
import { workbookOf } from '../../../../test/support/reference-data/table-files';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';

describe('previews over HTTP', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi();
  });
  afterAll(() => api.close());

  const header = 'first_name,date,note\n';
  const preview = (body: string | Uint8Array, type = 'text/csv', query = '') =>
    api.post(`/enrich/v1/batches/preview?type=age_gender${query}`, body, { 'content-type': type });
  const rowsOf = async (answer: Response): Promise<{ source: string }[]> =>
    ((await answer.json()) as { rows: { source: string }[] }).rows;

  it.each([
    ['CSV', `${header}${'Mary,2016-10-01,x\n'.repeat(500_000)}`],
    ['gzipped CSV', gzipSync(`${header}${'Mary,2016-10-01,x\n'.repeat(500_000)}`)],
    ['semicolons', `${header}${'Mary,2016-10-01,x\n'.repeat(100_000)}`.replaceAll(',', ';')],
    ['tiny rows', `${header}${'M\n'.repeat(100_000)}`],
  ])('show five rows of a large file: %s', async (_what, body) => {
    const answer = await preview(body);
    expect(answer.status).toBe(200);
    expect(await rowsOf(answer)).toHaveLength(5);
  });

  it('show a sheet of a workbook as its batch reads it, and name the cell of an error', async () => {
    const cells = (...texts: string[]): string =>
      `<row>${texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`;
    const donors = `${cells('first_name', 'date', 'a;b|c')}<row><c t="str"><v>Mary</v></c><c s="1"><v>42644</v></c></row>`;
    const workbook = await workbookOf(
      { Notes: cells('x'), Donors: donors, Broken: `${donors}<row r="9"><c r="B9" t="e"><v>#REF!</v></c></row>` },
      { 'xl/styles.xml': '<styleSheet><cellXfs><xf/><xf numFmtId="14"/></cellXfs></styleSheet>' },
    );
    const type = TABLE_FILE_TYPES.xlsx;
    expect(await (await preview(workbook, type, '&sheet=donors')).json()).toMatchObject({
      ...{ format: 'csv', delimiter: null, encoding: 'utf-8', sheet: 'Donors', sheets: ['Notes', 'Donors', 'Broken'] },
      columns: ['first_name', 'date', 'a;b|c'],
      rows: [{ source: 'Mary,2016-10-01,', result: { gender: 'f' } }],
    });
    const form = new FormData();
    form.append('type', 'age_gender');
    form.append('sheet', '2');
    form.append('file', new Blob([workbook as BlobPart]), 'donors.xlsx');
    const accepted = await api.send('/enrich/v1/batches', { method: 'POST', body: form });
    expect(accepted.status).toBe(202);
    await api.work();
    const results = await api.send(`${accepted.headers.get('location')}/results`);
    expect(await results.text()).toMatch(/^first_name,date,a;b\|c,AGE,GENDER\nMary,2016-10-01,,\d+,f\n$/);
    for (const path of ['', '/preview'])
      expect(
        await (
          await api.post(`/enrich/v1/batches${path}?type=age_gender&sheet=3`, workbook, { 'content-type': type })
        ).json(),
      ).toMatchObject({ status: 400, reason: 'bad_cell', cell: 'Broken!B9' });
    for (const body of [`${header}Mary,2016-10-01,x\n`, '{"type":"age_gender","queries":[{}]}'])
      expect(
        await (await preview(body, body[0] === '{' ? 'application/json' : 'text/csv', '&sheet=1')).json(),
      ).toMatchObject({ status: 400, reason: 'unknown_sheet' });
  });

  it('show the keys of JSON lines', async () => {
    const answer = await preview('{"name":"Mary","date":"2016-10-01"}\n'.repeat(50_000), 'application/x-ndjson');
    const shown = (await answer.json()) as { rows: unknown[]; columns: string[]; unused: unknown };
    expect(shown).toMatchObject({ columns: ['name', 'date'], unused: null });
    expect(shown.rows).toHaveLength(5);
  });

  it('show the complete records of the first 256 kB, including quoted line breaks', async () => {
    const long = `Mary,2016-10-01,"${'a\nb'.repeat(30_000)}"\n`;
    const rows = await rowsOf(await preview(header + long.repeat(10)));
    expect(rows).toHaveLength(2);
    expect(rows[0].source).toContain('a\nba\nb');
    const none = await preview(`${header}Mary,2016-10-01,${'x'.repeat(1_000_000)}\n`);
    expect([none.status, await none.json()]).toEqual([400, expect.objectContaining({ reason: 'record_too_long' })]);
  });

  it('show ethnicity by surname and place on request', async () => {
    const body = 'first_name,surname,date,state,zip\nMary,Smith,2016-10-31,CT,06150\n';
    const path = '/enrich/v1/batches/preview?type=contributions';
    const resultOf = async (query: string): Promise<Record<string, unknown>> => {
      const answer = await api.post(`${path}${query}`, body, { 'content-type': 'text/csv' });
      return ((await answer.json()) as { rows: { result: Record<string, unknown> }[] }).rows[0].result;
    };
    const [plain, placed] = [await resultOf(''), await resultOf('&ethnicity_basis=place')];
    expect(plain).not.toHaveProperty('ethnicity_basis');
    const lookup = await api.post('/enrich/v1/contributions?ethnicity_basis=place', {
      queries: [{ first_name: 'Mary', surname: 'Smith', date: '2016-10-31', state: 'CT', zip: '06150' }],
    });
    const { results } = (await lookup.json()) as { results: unknown[] };
    expect(placed).toEqual(results[0]);
    expect(placed.pct_white).not.toBe(plain.pct_white);
  });

  it('show a file of two rows, and reject a file without rows', async () => {
    expect(await rowsOf(await preview(`${header}Mary,2016-10-01,\nJohn,2016-10-01,`))).toHaveLength(2);
    expect((await preview(header)).status).toBe(400);
    expect((await preview(`${header}"Mary`)).status).toBe(400);
  });

  it('list the mapped and the unused columns', async () => {
    const csv =
      'Donor First,Last,Street,Apt,Town,State,Postal Code,Zip Plus,Date\nMary,Garcia,PO Box 1,4B,Samplebury,CT,06100,x,2016-10-01\n';
    const answer = await api.post('/enrich/v1/batches/preview?type=contributions', csv, { 'content-type': 'text/csv' });
    expect(await answer.json()).toMatchObject({
      mapping: {
        ...{ first_name: 'Donor First', surname: 'Last', date: 'Date', street: 'Street', street_2: 'Apt' },
        ...{ city: 'Town', state: 'State', zip: 'Postal Code' },
      },
      unused: ['Zip Plus'],
      rows: [{ result: { gender: 'f', geocode_status: 'SKIPPED' } }],
    });
  });

  it('show a file with unknown columns with warnings, and reject missing columns in the mapping', async () => {
    const csv = 'Giver Given,Gave On\nMary,2016-10-01\n';
    const answer = await preview(csv);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({
        columns: ['Giver Given', 'Gave On'],
        mapping: {},
        warnings: [
          { code: 'missing_column', message: expect.stringContaining('first name') as string },
          { code: 'missing_column', message: expect.stringContaining('date') as string },
        ],
        rows: [expect.objectContaining({ source: 'Mary,2016-10-01' })],
      }),
    ]);
    expect((await preview(csv, 'text/csv', '&map.date=Given')).status).toBe(400);
  });

  it('reject a field that is mapped twice without repeating its name', async () => {
    const answer = await preview('Given\nMary\n', 'text/csv', '&map.invented=a&map.invented=b');
    expect(answer.status).toBe(400);
    const text = await answer.text();
    expect(text).toContain('"pointer":"/query/map.{field}"');
    expect(text).not.toContain('invented');
  });

  it('show which addresses would be geocoded, and request none', async () => {
    const csv =
      'name,year,street,street_2,city,state,zip,fips\n"GARCIA, MARY",2016,1 Preview St,,Samplebury,CT,06100,09001\nB,2016,PO Box 1,,Samplebury,CT,06100,\n';
    const answer = await api.post('/enrich/v1/batches/preview?type=contributions', csv, { 'content-type': 'text/csv' });
    expect(await answer.json()).toMatchObject({
      mapping: { street: 'street', street_2: 'street_2', city: 'city', state: 'state', zip: 'zip', fips: 'fips' },
      rows: [
        { result: { county: 'Fairfield County', tract_cd: null, geocode_status: 'PENDING' } },
        { result: { county: null, geocode_status: 'SKIPPED' } },
      ],
    });
    const { rowCount } = await api.app.get<Pool>(PG_POOL).query('select 1 from geocode_address');
    expect(rowCount).toBe(0);
  });
});
