import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { KeyRepository, KeyRing, type KeyRequest } from '@donorlens/access-keys';
import { BatchAddresses, ChunkRepository, ResultStore } from '@donorlens/batches';
import { readConfig } from '@donorlens/config';
import { enrichChunk } from '@donorlens/enrichment';
import { AddressKeys, LocationRepository } from '@donorlens/locations';
import { createLogger } from '@donorlens/observability';
import { migrateQueue } from '@donorlens/queues';
import {
  compileRelease,
  openRelease,
  ReleaseHolder,
  ReleaseRepository,
  sampleSource,
  type SourceFiles,
} from '@donorlens/reference-data';
import pino from 'pino';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApi } from '../../../apps/api/src/create-api';
import { locate, type GeocodedByTest } from '../reference-data/geocoded';
import { TEST_STORE } from '../pipeline/pipeline';
import { sampleBinary } from '../reference-data/sample-tables';
import { testDatabase } from '../servers/test-database';

export interface RunningApi {
  readonly app: NestFastifyApplication;
  readonly url: string;
  /** A key with all scopes and no limits. */
  readonly key: string;
  issue(request?: Partial<KeyRequest>): Promise<string>;
  revoke(key: string): Promise<void>;
  /** Sends a request with the key in a header, unless the headers contain another key. */
  send(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Processes every waiting chunk, like a worker. */
  work(): Promise<void>;
  /** Stores answers of the geocoder, like a worker. */
  locate(answers: readonly GeocodedByTest[]): Promise<void>;
  close(): Promise<void>;
}

const ALL_SCOPES = ['enrich:read', 'enrich:batch', 'charts:read', 'charts:rows', 'ops'];

/**
 * Runs the api over HTTP with a separate database and the sample release, without other processes.
 * @param onLog - receives every logged line, without the logger's redaction
 */
export async function runningApi(
  environment: Record<string, string> = {},
  sample = true,
  onLog?: (line: string) => void,
): Promise<RunningApi> {
  const db = await testDatabase();
  const home = mkdtempSync(join(tmpdir(), 'donorlens-api-'));
  const config = readConfig({
    DATABASE_URL: db.url,
    QUEUE_BACKEND: 'postgres',
    DONORLENS_HOME: home,
    ADDRESS_SECRET: 'a secret of the tests',
    ...environment,
  });
  await migrateQueue(config);
  if (sample) await activateSample(new ReleaseRepository(db.pool));
  const app = await createApi(
    config,
    onLog ? pino({ level: 'trace' }, { write: onLog }) : createLogger('api', 'silent'),
  );
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const issue = async (request: Partial<KeyRequest> = {}): Promise<string> => {
    const issued = await app.get(KeyRepository).issue({ name: 'test', scopes: ALL_SCOPES, ...request });
    await app.get(KeyRing).authenticate(issued.key);
    return issued.key;
  };
  const key = await issue({ requestsPerMinute: null, batchRowsPerDay: null });
  const send = (path: string, { headers, ...init }: RequestInit = {}): Promise<Response> =>
    fetch(url + path, {
      redirect: 'manual',
      headers: { 'x-api-key': key, ...(headers as Record<string, string>) },
      ...init,
    });
  return {
    app,
    url,
    key,
    issue,
    revoke: async (one) => {
      await app.get(KeyRepository).revoke(one);
      await app.get(KeyRing).reload();
    },
    send,
    post: (path, body, headers = {}) =>
      send(path, {
        method: 'POST',
        body: typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    work: async () => {
      const chunks = new ChunkRepository(db.pool, TEST_STORE);
      const locations = app.get(LocationRepository);
      const results = new ResultStore(locations);
      const addressKeys = app.get(AddressKeys);
      const { rows } = await db.pool.query<{ batch_id: string; seq: number }>(
        `select batch_id, seq from chunk where state in ('pending', 'queued') order by batch_id, seq`,
      );
      for (const { batch_id, seq } of rows) {
        const claimed = await chunks.claim({ batchId: batch_id, seq }, 10_000);
        if (!claimed) continue;
        const release = await app.get(ReleaseHolder).get(claimed.releaseId);
        const done = enrichChunk(claimed.spec, claimed.input, release, { addressKeys });
        const known = await locations.outcomes(done.addresses.map(({ key }) => key));
        await chunks.commit(claimed, {
          store: (client) => results.store(client, claimed, done, known),
          counts: done.counts,
        });
      }
    },
    locate: (answers) => locate(db.pool, app.get(AddressKeys), new BatchAddresses(db.pool), answers),
    close: async () => {
      await app.close();
      await db.close();
      rmSync(home, { recursive: true });
    },
  };
}

/** Compiles the sample with some files replaced, and makes it the active data release of the api. */
export async function activateSampleWith({ app }: RunningApi, files: Partial<SourceFiles>): Promise<void> {
  const compiling = { label: 'sample', createdAt: '2026-01-01T00:00:00Z', steps: false } as const;
  const binary = await compileRelease({ ...(await (await sampleSource()).fetch()), ...files }, compiling);
  const repository = app.get(ReleaseRepository);
  await repository.store(openRelease(binary), binary);
  await repository.activate(openRelease(binary).id);
  await app.get(ReleaseHolder).refreshNow();
}

export async function activateSample(repository: ReleaseRepository): Promise<void> {
  const binary = await sampleBinary();
  const release = openRelease(binary);
  await repository.store(release, binary);
  await repository.activate(release.id);
}
