import { Readable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { type Batch, BatchAddresses, type IntakeRequest, ResultStore } from '@donorlens/batches';
import { enrichChunk } from '@donorlens/enrichment';
import { AddressKeys, LocationRepository } from '@donorlens/locations';
import { type Release } from '@donorlens/reference-data';
import { sampleTables } from '../support/reference-data/sample-tables';
import { type TestDatabase, testDatabase } from '../support/servers';
import { type TestRows, knownRelease, newApiKey, pipelineOn, textOf } from '../support/pipeline/pipeline';

const LEASE = 10_000;
const addressKeys = new AddressKeys({ secret: 'secret of the tests', benchmark: 'b', vintage: 'v' });

/** From the uploaded bytes to the returned bytes, through intake, chunks, enrichment, Postgres and results. */
describe('a batch, from its upload to its results', () => {
  let db: TestDatabase;
  let release: Release;
  let apiKeyId: string;
  let pipeline: ReturnType<typeof pipelineOn>;
  let results: ResultStore;

  beforeAll(async () => {
    db = await testDatabase();
    release = await sampleTables();
    apiKeyId = await newApiKey(db.pool);
    await knownRelease(db.pool, release.id);
    pipeline = pipelineOn(db.pool, { chunkRows: 7 });
    results = new ResultStore(new LocationRepository(db.pool, addressKeys));
  });
  afterAll(() => db.close());

  const run = async (input: string | Buffer, more: Partial<IntakeRequest> = {}): Promise<Batch> => {
    const request: IntakeRequest = { apiKeyId, type: 'contributions', format: 'csv', releaseId: release.id, ...more };
    const { batch } = await pipeline.intake.accept(request, Readable.from([Buffer.from(input as string)]));
    for (let seq = 0; seq < batch.chunksTotal; seq++) {
      const chunk = await pipeline.chunks.claim({ batchId: batch.id, seq }, LEASE);
      if (!chunk) throw new Error('the chunk should be free');
      const enriched = enrichChunk(chunk.spec, chunk.input, release, { addressKeys });
      const store: TestRows['store'] = (client) => results.store(client, chunk, enriched, new Map());
      expect(await pipeline.chunks.commit(chunk, { store, counts: enriched.counts })).toBe(true);
    }
    await new BatchAddresses(db.pool).completeTimedOut(0); // no geocoder runs here
    return (await pipeline.batches.get(apiKeyId, batch.id))!;
  };
  const csvOf = async (batch: Batch, raw = true): Promise<string[][]> =>
    parse(await textOf(await pipeline.results.stream(batch, { format: 'csv', raw })), {
      record_delimiter: '\n',
    });

  it('returns any table unchanged, with the added columns after its own', async () => {
    const field = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', '\\', '\t', ' ', '|', ';', 'é', '=', '-') }),
      fc.string().filter((text) => !text.includes('\0')),
    );
    const table = fc.array(fc.tuple(field, field, field), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom(',', ';', '|', '\t'),
        fc.constantFrom('\n', '\r\n'),
        async (rows, delimiter, eol) => {
          const header = ['first_name', 'last_name', 'date'];
          const input = stringify([header, ...rows], { delimiter, record_delimiter: eol, quoted_match: /[\r\n]/ });
          const batch = await run(input);
          expect(batch).toMatchObject({ state: 'completed', rowsTotal: rows.length });
          const read = await csvOf(batch);
          expect(read.map((row) => row.slice(0, 3))).toEqual([header, ...rows]);
          expect(new Set(read.map((row) => row.length))).toEqual(new Set([19]));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('counts good, unknown and invalid rows, and returns the invalid ones in the errors file', async () => {
    const input = Buffer.concat([
      Buffer.from('id,NAME,TRANSACTION_DT,fips\n'),
      Buffer.from('1,"SMITH, MARY",03012016,\n2,"WQZXV, WQZX",03012016,\n3,"SMITH, MARY",02302016,\n4,ragged\n'),
      Buffer.from('5,"SMITH, MAR\xcdA",03012016,\n', 'latin1'),
      Buffer.from('6,"SMI\0TH, MARY",03012016,\n7,"SMITH, MARY",,\n\n\n'),
    ]);
    const batch = await run(input);
    expect(batch.counts).toEqual({ ok: 3, partial: 0, not_found: 1, invalid: 3, failed: 0 });
    const rows = await csvOf(batch);
    expect(rows[1].slice(4, 7)).toEqual([expect.stringMatching(/^\d+$/), 'f', 'white']);
    expect(rows[5].slice(0, 2)).toEqual(['5', 'SMITH, MARÍA']);
    expect(rows[7].slice(4, 7)).toEqual(['', 'f', '']);
    const errors: string[][] = parse(
      await textOf(await pipeline.results.errorsStream(batch, { format: 'csv', raw: true })),
    );
    expect(errors.map(([row, code, , source]) => [row, code, source])).toEqual([
      ['ROW', 'ERROR_CODE', 'SOURCE'],
      ['3', 'bad_date', '3,"SMITH, MARY",02302016,'],
      ['4', 'ragged_row', '4,ragged'],
      ['6', 'nul_byte', '6,"SMI\u2400TH, MARY",03012016,'],
    ]);
  });

  it('reads an FEC file and an openFEC export equally', async () => {
    const itcont = 'C1|N|M2|P|2|15|IND|SMITH, MARY "MAE"|AUSTIN|TX|787010000|ACME|CLERK|03012016|50||T1|1|||4\n';
    const openfec =
      'contributor_first_name,contributor_last_name,contributor_name,entity_type,contribution_receipt_date,' +
      'contributor_street_1,contributor_city,contributor_state,contributor_zip\n' +
      'MARY,SMITH,"SMITH, MARY MAE",IND,2016-03-01T00:00:00,1 MAIN ST,AUSTIN,TX,787010000\n';
    const [, fec] = await csvOf(await run(itcont, { format: 'itcont' }));
    const [, api] = await csvOf(await run(openfec));
    expect(fec.slice(21, -1)).toEqual(api.slice(9, -1));
    expect([fec.at(-1), api.at(-1)]).toEqual(['SKIPPED', 'PENDING']); // the FEC's file has no street
  });

  it('returns results if every row of the batch is invalid', async () => {
    const batch = await run('name,date\nMary,never\nMary,2019-02-30\n', { type: 'age_gender' });
    expect(batch).toMatchObject({ state: 'completed', counts: { ok: 0, invalid: 2 } });
    expect(JSON.parse(await textOf(await pipeline.results.stream(batch, { format: 'json' })))).toEqual({
      results: [
        { age: null, gender: null, error: 'bad_date' },
        { age: null, gender: null, error: 'bad_date' },
      ],
    });
  });

  it('returns NDJSON for NDJSON, line by line', async () => {
    const input = '{"surname":"Smith","year":2016,"id":"a"}\nno json\n{"surname":"Wqzxv","year":2003}\n';
    const batch = await run(input, { type: 'ethnicity', format: 'ndjson' });
    const lines = (await textOf(await pipeline.results.stream(batch, { format: 'ndjson' }))).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ surname: 'Smith', race: 'white', id: 'a' }),
      expect.objectContaining({ surname: '', race: null, error: 'bad_json' }),
      expect.objectContaining({ surname: 'Wqzxv', race: null }),
    ]);
  });

  it('returns the items of NDJSON as CSV with all their fields', async () => {
    const items = [
      {
        contributor_first_name: 'MARY',
        last_name: 'SMITH',
        contribution_receipt_date: '2016-03-01',
        sub_id: 4,
        x: 'y',
      },
      { name: 'SMITH, MARY', date: '2016-03-01', fips: '06037', year: 2016, committee: { id: 'C1' } },
    ];
    const batch = await run(items.map((item) => JSON.stringify(item)).join('\n'), { format: 'ndjson' });
    const [header, ...rows] = await csvOf(batch);
    const keys = [...new Set(items.flatMap((item) => Object.keys(item)))];
    expect(header.slice(0, keys.length + 2)).toEqual([...keys, 'AGE', 'GENDER']);
    rows.forEach((row, i) =>
      expect(row.slice(0, keys.length)).toEqual(
        keys.map((key) => {
          const value: unknown = (items[i] as Record<string, unknown>)[key] ?? '';
          return typeof value === 'string' ? value : JSON.stringify(value);
        }),
      ),
    );
    expect(rows.map((row) => row[keys.length + 1])).toEqual(['f', 'f']);
  });

  it.each(['all', 'bad'])('ends a download with an error if the batch is erased meanwhile (%s)', async (which) => {
    const erase = (batch: Batch): Promise<boolean> => pipeline.batches.delete(apiKeyId, batch.id);
    const read = (batch: Batch): Promise<Readable> =>
      which === 'all'
        ? pipeline.results.stream(batch, { format: 'ndjson' })
        : pipeline.results.errorsStream(batch, { format: 'ndjson' });
    const input = `name,date,id\n${`Mary,never,${'x'.repeat(5000)}\n`.repeat(7 * 50)}`; // exceeds the read-ahead
    const before = await run(input, { type: 'age_gender' });
    await erase(before);
    await expect(read(before)).rejects.toMatchObject({ code: 'results_gone' });
    const meanwhile = await run(input, { type: 'age_gender' });
    const begun = (await read(meanwhile))[Symbol.asyncIterator]();
    await begun.next();
    await erase(meanwhile);
    const rest = async (): Promise<void> => {
      while (!(await begun.next()).done);
    };
    await expect(rest()).rejects.toMatchObject({ code: 'results_gone' });
  });

  it('leaves neither names nor addresses in chunks that are done', async () => {
    await run('name,date,street,zip\n"SMITH, MARY",2016-03-01,1 MAIN ST,78701\n');
    const { rows } = await db.pool.query(`select 1 from chunk where state = 'done' and input is not null`);
    expect(rows).toEqual([]);
  });
});
