import { gzipSync } from 'node:zlib';
import { Readable } from 'node:stream';
import { pipelineOn } from '../../../../test/support/pipeline/pipeline';
import { bytes, TestIntake } from '../../../../test/support/pipeline/test-intake';
import { IntakeError } from './intake-error';
import { type IntakeRequest } from './intake-request';

describe('accepting a batch', () => {
  const test = new TestIntake();
  const { request } = test;
  const refusal = async (work: Promise<unknown>): Promise<{ code: string; status: number; line?: unknown }> => {
    const err = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(err instanceof IntakeError)) throw new Error('no IntakeError', { cause: err });
    expect(await Promise.all(['batch', 'chunk'].map((table) => test.rowsOf(table)))).toEqual([0, 0]);
    expect(await test.usedToday()).toBe(0);
    return { code: err.code, status: err.status, ...('line' in err.values ? { line: err.values.line } : {}) };
  };

  const csv = (rows: number): string =>
    `row,first_name,last_name,date\n${Array.from({ length: rows }, (_, i) => `${i + 1},Mary,Smith,2016-03-01\n`).join('')}`;

  it('stores batch, chunks and used rows, adds jobs, and returns the batch', async () => {
    const { batch, replayed } = await test.pipeline.intake.accept(request(), bytes(csv(25)));
    expect(replayed).toBe(false);
    expect(batch).toMatchObject({
      apiKeyId: test.apiKeyId,
      type: 'contributions',
      itemFormat: 'csv',
      columns: ['row', 'first_name', 'last_name', 'date'],
      mapping: { first_name: 1, surname: 2, date: 3 },
      state: 'accepted',
      rowsTotal: 25,
      chunksTotal: 3,
      releaseId: 'sample.1',
    });
    const { rows } = await test.db.pool.query(
      'select seq, first_row, rows, state from chunk where batch_id = $1 order by seq',
      [batch.id],
    );
    expect(rows).toEqual([
      { seq: 0, first_row: 1, rows: 10, state: 'pending' },
      { seq: 1, first_row: 11, rows: 10, state: 'pending' },
      { seq: 2, first_row: 21, rows: 5, state: 'pending' },
    ]);
    expect(test.pipeline.queue.hinted.filter((ref) => ref.batchId === batch.id).map((ref) => ref.seq)).toEqual([
      0, 1, 2,
    ]);
    expect(await test.usedToday()).toBe(25);
  });

  it('detects gzip', async () => {
    const { batch } = await test.pipeline.intake.accept(request(), bytes(gzipSync(csv(12)), 3));
    expect(batch.rowsTotal).toBe(12);
  });

  it('reads an input with a byte order mark, semicolons and CRLF', async () => {
    const input = '\uFEFFName;Transaction_Dt;Amount\r\n"SMITH, JOHN";03012016;5,50\r\n';
    const { batch } = await test.pipeline.intake.accept(request(), bytes(input, 1));
    expect(batch.columns).toEqual(['Name', 'Transaction_Dt', 'Amount']);
    expect(batch.mapping).toEqual({ contributor_name: 0, date: 1 });
    const chunk = await test.pipeline.chunks.claim({ batchId: batch.id, seq: 0 }, 1000);
    expect(chunk?.input.toString()).toBe('"SMITH, JOHN",03012016,"5,50"\n');
  });

  it('reads the FEC file without a header', async () => {
    const line = 'C1|N|M2|P|2|15|IND|SMITH, JOHN "JACK"|AUSTIN|TX|787010000|ACME|CLERK|03012016|50||T1|1|||4\n';
    const { batch } = await test.pipeline.intake.accept(request({ format: 'itcont' }), bytes(line.repeat(3)));
    expect(batch).toMatchObject({ rowsTotal: 3, mapping: { contributor_name: 7, date: 13, entity_type: 6, zip: 10 } });
  });

  it('reads NDJSON line by line and queries one by one', async () => {
    const lines = '{"name":"Mary","date":"2016-03-01"}\n\nno json\n';
    const ndjson = await test.pipeline.intake.accept(request({ type: 'age_gender', format: 'ndjson' }), bytes(lines));
    expect(ndjson.batch).toMatchObject({ rowsTotal: 2, itemFormat: 'json', columns: ['name', 'date'] });
    const queries = [{ name: 'Mary', date: '2016-03-01' }, 7, null];
    const json = await test.pipeline.intake.accept(request({ type: 'age_gender', format: 'json' }), queries);
    const chunk = await test.pipeline.chunks.claim({ batchId: json.batch.id, seq: 0 }, 1000);
    expect(chunk?.input.toString()).toBe('{"name":"Mary","date":"2016-03-01"}\n7\nnull\n');
  });

  describe('of JSON items', () => {
    const accepted = async (lines: readonly string[], more: Partial<IntakeRequest> = {}) =>
      (await test.pipeline.intake.accept(request({ format: 'ndjson', ...more }), bytes(lines.join('\n'), 65_536)))
        .batch;

    it('uses the keys of all items as columns, in the order of their first occurrence', async () => {
      const lines = ['{"name":"a","note":1}', '[1]', '{"id":"x","name":"b"}', ...Array(20).fill('{}'), '{"zip":"1"}'];
      expect((await accepted(lines)).columns).toEqual(['name', 'note', 'id', 'zip']);
      const mapping = { id: 'key', date: 'when' };
      expect(await accepted(['{"a":1,"when":"2016-03-01"}'], { mapping })).toMatchObject({
        columns: ['a', 'when', 'key'],
        mapping: { id: 2, date: 1 },
      });
    });

    it('has one more column if a key cannot be a column', async () => {
      for (const key of ['OTHER', 'k'.repeat(201), '\\u0000', '\\ud800'])
        expect((await accepted([`{"a":1,"${key}":2}`])).columns).toEqual(['a', 'OTHER']);
      const many = await accepted(Array.from({ length: 201 }, (_, n) => `{"key${n}":1}`));
      expect([many.columns?.length, many.columns?.at(199), many.columns?.at(-1)]).toEqual([201, 'key199', 'OTHER']);
    });

    it('has one more column if not all items were read before the columns were stored', async () => {
      const noise = (n: number): string => `${Math.sin(n)}${Math.cos(n)}${Math.tan(n)}${Math.cbrt(n)}`;
      const lines = Array.from({ length: 150_000 }, (_, n) => `{"a":"${noise(n)}"}`);
      const large = pipelineOn(test.db.pool, { chunkRows: 1000 }).intake;
      const { batch } = await large.accept(request({ format: 'ndjson' }), bytes(lines.join('\n'), 65_536));
      expect(batch).toMatchObject({ rowsTotal: 150_000, columns: ['a', 'OTHER'] });
    });

    it('rejects an item that is longer than the maximum of a record', async () => {
      const items = [{ name: 'a' }, { name: 'x'.repeat(8 * 1024 ** 2) }];
      await expect(test.pipeline.intake.accept(request({ format: 'json' }), items)).rejects.toMatchObject({
        code: 'record_too_long',
        values: { query: 2 },
      });
    });
  });

  it('streams a large input into the open transaction', async () => {
    const noise = Array.from({ length: 60_000 }, (_, i) =>
      `${i},Mary,Smith,2016-03-01,${(i * 2654435761) % 4294967296}`.padEnd(200, String(Math.sin(i))),
    );
    const { batch } = await pipelineOn(test.db.pool, { chunkRows: 1000 }).intake.accept(
      request(),
      bytes(`row,first_name,last_name,date,noise\n${noise.join('\n')}`, 65_536),
    );
    expect(batch).toMatchObject({ rowsTotal: 60_000, chunksTotal: 60 });
  });

  describe('an input that fails stores nothing', () => {
    it.each<[string, string | Buffer, object]>([
      ['an empty file', '', { code: 'empty_input', status: 400 }],
      ['only line ends', '\n\r\n\n', { code: 'empty_input', status: 400 }],
      ['a header alone', 'name,date\n', { code: 'no_rows', status: 400, line: 1 }],
      ['a header it does not know', 'a,b\n1,2\n', { code: 'unmapped_columns', status: 400, line: 1 }],
      [
        'a used column twice',
        'name,date,Date\nx,2016-03-01,2017-03-01\n',
        { code: 'duplicate_column', status: 400, line: 1 },
      ],
      ['a quote never closed', 'name,date\n"SMITH,2016-03-01\n', { code: 'unclosed_quote', status: 400, line: 2 }],
      ['UTF-16 without a mark', Buffer.from('name,date\nx,y\n', 'utf16le'), { code: 'not_text', status: 400, line: 1 }],
      ['a damaged workbook', Buffer.from('PK\x03\x04rest'), { code: 'bad_workbook', status: 400 }],
      ['a gzip that breaks off', gzipSync(csv(5000)).subarray(0, 200), { code: 'truncated_gzip', status: 400 }],
      [
        'a damaged gzip',
        Buffer.concat([gzipSync(csv(50)).subarray(0, 20), Buffer.from('garbage garbage')]),
        { code: 'bad_gzip', status: 400 },
      ],
    ])('%s', async (_, input, expected) => {
      expect(await refusal(test.pipeline.intake.accept(request(), bytes(input)))).toEqual(expected);
    });

    it('a gzip bomb', async () => {
      const bomb = gzipSync(
        Buffer.concat([Buffer.from('name,date\n'), Buffer.alloc(64 * 1024 ** 2, 'x,2016-03-01\n')]),
        { level: 9 },
      );
      const refused = await refusal(
        pipelineOn(test.db.pool, { chunkRows: 100_000 }).intake.accept(request(), bytes(bomb, 65_536)),
      );
      expect(refused).toEqual({ code: 'gzip_bomb', status: 413 });
    });

    it('an error in the last line of a large input', async () => {
      const input = `${csv(3000)}1,"Mary,Smith,2016\n`;
      expect(await refusal(test.pipeline.intake.accept(request(), bytes(input)))).toMatchObject({
        code: 'unclosed_quote',
        line: 3002,
      });
    });

    it('a client that disconnects', async () => {
      const leaving = Readable.from(
        (async function* () {
          yield Buffer.from(csv(500));
          await Promise.resolve();
          throw new Error('socket hang up');
        })(),
      );
      expect(await refusal(test.pipeline.intake.accept(request(), leaving))).toMatchObject({ code: 'aborted' });
      const gone = new AbortController();
      const silent = new Readable({ read: () => undefined });
      silent.push(csv(500));
      const work = test.pipeline.intake.accept(request(), silent, gone.signal);
      setTimeout(() => gone.abort(), 20);
      expect(await refusal(work)).toMatchObject({ code: 'aborted' });
    });

    it('a database that stops during a large input', async () => {
      const noise = (row: number): string =>
        `${row},Mary,Smith,2016-03-01,${Math.sin(row)}${Math.cos(row)}${Math.tan(row)}\n`;
      const source = Readable.from(
        (async function* () {
          yield 'row,first_name,last_name,date,noise\n';
          for (let row = 0; row < 400_000; row += 1000) {
            yield Array.from({ length: 1000 }, (_, i) => noise(row + i)).join('');
            if (row !== 300_000) continue;
            const { rowCount } = await test.db.pool.query(
              `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'copy chunk%'`,
            );
            expect(rowCount).toBe(1);
          }
        })(),
      );
      const large = pipelineOn(test.db.pool, { chunkRows: 1000 }).intake;
      await expect(large.accept(request(), source)).rejects.toThrow(); // the server's words or the socket's, whichever is first
      expect(await Promise.all(['batch', 'chunk'].map((table) => test.rowsOf(table)))).toEqual([0, 0]);
    });

    it('no queries, and an unknown field', async () => {
      expect(await refusal(test.pipeline.intake.accept(request({ format: 'json' }), []))).toMatchObject({
        code: 'no_rows',
      });
      const mapped = request({ mapping: { nickname: 'row' } });
      expect(await refusal(test.pipeline.intake.accept(mapped, bytes(csv(1))))).toMatchObject({
        code: 'unknown_field',
      });
      const missing = request({ mapping: { date: 'when' } });
      expect(await refusal(test.pipeline.intake.accept(missing, bytes(csv(1))))).toMatchObject({
        code: 'unknown_column',
      });
    });

    it('more rows than the daily quota of the key', async () => {
      expect(
        await refusal(test.pipeline.intake.accept(request({ batchRowsPerDay: 24 }), bytes(csv(25)))),
      ).toMatchObject({
        code: 'quota_exceeded',
        status: 429,
      });
      await expect(test.pipeline.intake.accept(request({ batchRowsPerDay: 24 }), bytes(csv(25)))).rejects.toMatchObject(
        {
          values: { limit: 24, alone: true },
        },
      );
      const items = test.pipeline.intake.accept(request({ format: 'json', batchRowsPerDay: 2 }), [{}, {}, {}]);
      await expect(items).rejects.toMatchObject({ values: { limit: 2, alone: true } });
    });
  });

  it('does not destroy the source of a rejected input, so that the api can still answer', async () => {
    const source = bytes(csv(5000).replace('first_name,last_name', 'a,b'), 100);
    await expect(test.pipeline.intake.accept(request(), source)).rejects.toThrow('map.contributor_name');
    expect(source.destroyed).toBe(false);
  });

  it('previews the first rows and stores nothing', async () => {
    const preview = await test.pipeline.intake.preview(request(), bytes(csv(500)), 3);
    expect(preview).toMatchObject({
      format: 'csv',
      delimiter: ',',
      rows: 3,
      mapping: { first_name: 1, surname: 2, date: 3 },
    });
    expect(preview.input.toString().split('\n')).toHaveLength(4);
    expect(await test.rowsOf('batch')).toBe(0);
  });
});
