import { Readable } from 'node:stream';
import { type IntakeRequest } from '@donorlens/batches';
import { type TestDatabase, testDatabase } from '../servers';
import { newApiKey, pipelineOn } from './pipeline';

/** Intake of batches in a database of its own, with a new API key for each test of the suite. */
export class TestIntake {
  db!: TestDatabase;
  pipeline!: ReturnType<typeof pipelineOn>;
  apiKeyId!: string;

  constructor() {
    beforeAll(async () => {
      this.db = await testDatabase();
      this.pipeline = pipelineOn(this.db.pool);
    });
    afterAll(() => this.db.close());
    beforeEach(async () => {
      this.apiKeyId = await newApiKey(this.db.pool);
    });
  }

  readonly request = (more: Partial<IntakeRequest> = {}): IntakeRequest => ({
    apiKeyId: this.apiKeyId,
    type: 'contributions',
    format: 'csv',
    releaseId: 'sample.1',
    ...more,
  });

  /** Number of rows of a table that belong to the API key. */
  async rowsOf(table: string): Promise<number> {
    const ofKey = table === 'chunk' ? 'batch_id in (select id from batch where api_key_id = $1)' : 'api_key_id = $1';
    const { rows } = await this.db.pool.query<{ n: number }>(`select count(*)::int as n from ${table} where ${ofKey}`, [
      this.apiKeyId,
    ]);
    return rows[0].n;
  }

  /** Rows of today's quota that the API key has used. */
  async usedToday(): Promise<number> {
    const { rows } = await this.db.pool.query<{ batch_rows: string }>(
      'select batch_rows from key_usage where api_key_id = $1',
      [this.apiKeyId],
    );
    return Number(rows[0]?.batch_rows ?? 0);
  }
}

/** A stream of pieces of the text. */
export const bytes = (text: string | Buffer, size = 1000): Readable =>
  Readable.from(
    (function* () {
      const whole = Buffer.from(text as string);
      for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
    })(),
  );
