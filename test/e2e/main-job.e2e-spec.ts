import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEY, Service } from '../support/service';
import { describeWith } from '../support/tools';
import { until } from '../support/until';
import { contributionHeader, contributionRow, contributionsCsv } from '../support/contributions';

/** Reads a CSV file with another implementation and prints it as JSON. */
const PYTHON_READER = `
import csv, json, sys
with open(sys.argv[1], newline='', encoding='utf-8') as f:
    print(json.dumps(list(csv.reader(f))))
`;

describeWith('curl', 'python3')('the main job with clients that are not ours', () => {
  let service: Service;
  let folder: string;
  const curl = (...args: string[]) =>
    execFileSync('curl', ['-sS', '--fail-with-body', ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const asPythonReadsIt = (file: string): string[][] =>
    JSON.parse(execFileSync('python3', ['-c', PYTHON_READER, file], { encoding: 'utf8', maxBuffer: 1 << 28 }));

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'donorlens-client-'));
    service = await Service.start({ LOG_LEVEL: 'warn' });
  });
  afterAll(async () => {
    expect(await service?.stop()).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes a CSV from curl and gives it back enriched, in order, as Python reads it', async () => {
    const sent = join(folder, 'sent.csv');
    const got = join(folder, 'got.csv');
    writeFileSync(sent, [...contributionsCsv(2500)].join(''));
    const accepted = JSON.parse(
      curl(
        '-X',
        'POST',
        '-H',
        `X-API-Key: ${KEY}`,
        '-H',
        'Content-Type: text/csv',
        '--data-binary',
        `@${sent}`,
        `${service.url}/enrich/v1/batches?type=contributions`,
      ),
    );
    await until(
      'completed',
      () =>
        JSON.parse(curl('-H', `X-API-Key: ${KEY}`, `${service.url}/enrich/v1/batches/${accepted.id}`)).state ===
        'completed',
    );
    curl('-H', `X-API-Key: ${KEY}`, '-o', got, `${service.url}/enrich/v1/batches/${accepted.id}/results`);

    const rows = asPythonReadsIt(got);
    const original = asPythonReadsIt(sent);
    expect(rows[0]).toEqual([
      ...contributionHeader.split(','),
      ...'AGE,GENDER,ETHNICITY,PCT_WHITE,PCT_BLACK,PCT_API,PCT_AIAN,PCT_2PRACE,PCT_HISPANIC,FIPS,COUNTY,TRACT_CD,BLOCK_CD,HH_INCOME_MEDIAN,ADDRESS_ID,GEOCODE_STATUS'.split(
        ',',
      ),
    ]);
    expect(rows.map((row) => row.slice(0, 5))).toEqual(original);
    const unknown = rows[1 + 7];
    expect(contributionRow(7)).toContain('Wqzx');
    expect(unknown.slice(5, 7)).toEqual(['', '']);
    for (const row of rows.slice(1)) if (row[1] === 'Mary') expect(row[6]).toBe('f');
  });

  it('gives one age for a name and a date: single, bulk or batch', async () => {
    const query = { name: 'Mary', date: '2016-11-08' };
    const headers = { 'content-type': 'application/json' };
    const bulk = await service.json('/enrich/v1/age_gender', {
      method: 'POST',
      headers,
      body: JSON.stringify({ queries: [query] }),
    });
    const single = await service.json('/enrich/v1/age_gender/name/Mary/date/2016-11-08?format=json');
    const batch = await service.json('/enrich/v1/batches', {
      method: 'POST',
      headers,
      body: JSON.stringify({ type: 'age_gender', queries: [query] }),
    });
    await until('completed', async () => (await service.json(`/enrich/v1/batches/${batch.id}`)).state === 'completed');
    const results = await service.json(`/enrich/v1/batches/${batch.id}/results?format=json`);
    expect(bulk.results).toEqual([{ age: expect.any(Number), gender: 'f' }]);
    expect(single).toMatchObject(bulk.results[0]);
    expect(results.results[0]).toMatchObject(bulk.results[0]);
  });

  it('keeps batches, keys and the data release over a clean stop and a second start', async () => {
    const batch = await service.json('/enrich/v1/batches?type=contributions', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: [...contributionsCsv(1500)].join(''),
    });
    await until('completed', async () => (await service.json(`/enrich/v1/batches/${batch.id}`)).state === 'completed');
    const results = await service.text(`/enrich/v1/batches/${batch.id}/results`);
    const { release } = await service.json('/health/ready');
    expect(await service.stop(true)).toBe(0);

    service = await Service.start({ LOG_LEVEL: 'warn' }, service.home);
    expect((await service.json('/health/ready')).release).toBe(release);
    expect(await service.text(`/enrich/v1/batches/${batch.id}/results`)).toBe(results);
  });
});
