import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { OperatorRequests } from '@donorlens/operations';
import { CANDIDATES, CYCLE, RoundFiles, withoutSample } from '../support/reference-data/data-folders';
import { FaultInjector } from '../support/fault-injection/fault-injector';
import { Installation, KEY, until } from '../support/installation';
import { seeded } from '../support/seeded';
import { describeWith } from '../support/tools';
import { WebhookReceiver } from '../support/servers/webhook-receiver';

const BATCHES = 12;
/** Ten chunks. */
const BATCH_ROWS = 200;
const FAULTS = 4;
const rows = Array.from({ length: BATCH_ROWS }, (_, row) => row);
const AUTHORIZATION = { authorization: `Bearer ${KEY}` };

describeWith('faketime')(
  'an FEC import and batches with webhooks, while processes are killed and clocks are stepped',
  () => {
    let folder: string;
    let receiver: WebhookReceiver;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'donorlens-imports-'));
      await RoundFiles.create(join(folder, 'data'));
      receiver = await WebhookReceiver.start();
    });
    afterAll(async () => {
      await receiver.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    /** Repeats a request until the api answers with 2xx. */
    const answer = (url: string, init: RequestInit = {}): Promise<string> =>
      until(url, async () => {
        const response = await fetch(url, { ...init, headers: { ...AUTHORIZATION, ...init.headers } }).catch(
          () => null,
        );
        return response?.ok ? response.text().catch(() => null) : null;
      });

    const submit = (api: string, nth: number): Promise<string> =>
      answer(`${api}/enrich/v1/batches?type=age_gender`, {
        method: 'POST',
        headers: { 'content-type': 'text/csv', 'idempotency-key': `batch-${nth}`, 'webhook-url': receiver.url },
        body: `row,first_name,date\n${rows.map((row) => `${row},Mary,2016-10-01\n`).join('')}`,
      }).then((text) => (JSON.parse(text) as { id: string }).id);

    /** The first column of a batch's results. */
    const resultsOf = (api: string, id: string): Promise<number[]> =>
      answer(`${api}/enrich/v1/batches/${id}/results?format=csv`).then((csv) =>
        csv
          .trim()
          .split('\n')
          .slice(1)
          .map((line) => parseInt(line, 10)),
      );

    async function filesAfterImport(withFaults: boolean): Promise<{ files: string[]; ids: string[] }> {
      const installation = await Installation.start({
        ...{ queue: 'postgres', tuning: 'test', databaseUrl: withoutSample },
        ...{ hasSteppedClocks: withFaults, processes: { worker: 2, aggregator: 2 } },
        environment: {
          ...{ DATA_SOURCE: join(folder, 'data'), REFERENCE_REFRESH: 'off', CHUNK_ROWS: '20', LOG_LEVEL: 'warn' },
          WEBHOOK_ALLOWED_HOSTS: receiver.host,
        },
      });
      const pool = new Pool({ connectionString: installation.postgres.url, max: 2 });
      pool.on('error', () => undefined); // a fault can kill the server
      try {
        const [api] = installation.apiUrls;
        const ended = async (id: string): Promise<object | undefined> => {
          const sql = `select state, detail from ops_request where id = $1 and state in ('done', 'failed')`;
          return (await pool.query<object>(sql, [id]).catch(() => null))?.rows[0];
        };
        const id = await new OperatorRequests(pool).submit('refresh', { source: 'fec' }, 'test');
        const submitted = Promise.all(Array.from({ length: withFaults ? BATCHES : 0 }, (_, nth) => submit(api, nth)));
        const injector = new FaultInjector(installation, seeded(5));
        for (let faults = 0; withFaults && faults < FAULTS; await pause(500))
          if (await injector.next().inject()) faults++;
        await injector.untilNormal();
        const ids = await submitted;
        expect(await until('the import has ended', () => ended(id))).toMatchObject({ state: 'done' });
        const isQuiet = async (): Promise<boolean> =>
          (
            await pool.query(
              `select from donor_touched union all select from batch where state in ('accepted', 'running')`,
            )
          ).rowCount === 0;
        await until('charts and batches have finished', isQuiet);
        const isReceived = (): boolean => ids.every((one) => receiver.messages.some(({ body }) => body.includes(one)));
        await until('every webhook is delivered', isReceived);
        for (const one of ids) expect(await resultsOf(api, one)).toEqual(rows);
        const candidates = Object.keys(CANDIDATES);
        const paths = candidates.flatMap((one) => [
          `cumulative_donors/candidate?candidate_id=${one}&cycle=${CYCLE}`,
          `contributions/search?candidate_id=${one}&cycle=${CYCLE}`,
        ]);
        const files = paths.map((path) => answer(`${api}/data-charts/v1/${path}`, { headers: { accept: 'text/csv' } }));
        return { files: await Promise.all(files), ids };
      } finally {
        await pool.end();
        await installation.stop();
      }
    }

    it('give the same files as without faults, and every webhook at least once and at most twice', async () => {
      const { files } = await filesAfterImport(false);
      expect(files.every((text) => text.split('\n').length > 3)).toBe(true);
      const { files: afterFaults, ids } = await filesAfterImport(true);
      expect(afterFaults).toEqual(files);
      for (const id of ids) {
        const received = receiver.messages.filter(({ body }) => body.includes(id)).length;
        expect([received >= 1, received <= 2]).toEqual([true, true]);
      }
    });
  },
);
