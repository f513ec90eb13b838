import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@donorlens/config';
import { freePort } from '@donorlens/local-servers';
import { METRICS, type MetricSource, VERSION } from '@donorlens/observability';
import { migrateQueue } from '@donorlens/queues';
import { withKeys } from '../../apps/cli/src/keys/open-keys';
import { type TestDatabase, testDatabase } from '../support/servers';
import { until } from '../support/until';
import { RoleProcess } from '../support/service/role-process';
import { KEY, ROOT } from '../support/service/service';
import { TraceCollector, attributesOf } from '../support/servers/trace-collector';

const SURNAME = 'Zebulonsky';

describe('an api, a worker and an aggregator that are started separately', () => {
  let db: TestDatabase;
  let collector: TraceCollector;
  let api: RoleProcess;
  let worker: RoleProcess;
  let aggregator: RoleProcess;
  let batchId: string;
  const ports = { api: 0, worker: 0, aggregator: 0 };
  const get = (role: keyof typeof ports, path: string, key = KEY) =>
    fetch(`http://127.0.0.1:${ports[role]}${path}`, { headers: { authorization: `Bearer ${key}` } });
  const exposed = async (role: keyof typeof ports): Promise<Record<string, string>> =>
    Object.fromEntries(
      [...(await (await get(role, '/metrics')).text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [
        name,
        type,
      ]),
    );
  const stated = (...sources: MetricSource[]): Record<string, string> =>
    Object.fromEntries(
      Object.entries(METRICS).flatMap(([name, { source, type }]) => (sources.includes(source) ? [[name, type]] : [])),
    );

  const home = mkdtempSync(join(tmpdir(), 'donorlens-observed-'));
  beforeAll(async () => {
    db = await testDatabase();
    collector = await TraceCollector.start();
    for (const role of ['api', 'worker', 'aggregator'] as const) ports[role] = await freePort();
    const environment = {
      DATABASE_URL: db.url,
      QUEUE_BACKEND: 'postgres',
      DONORLENS_HOME: home,
      ADDRESS_SECRET: 'secret of the tests',
      GEOCODER_URL: 'http://127.0.0.1:9', // a closed port
      REFERENCE_REFRESH: 'off',
      FEC_IMPORT_AT: 'off',
      LOG_LEVEL: 'debug',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '100', // otherwise the tracing library sends every 5 s
    };
    await migrateQueue(readConfig(environment));
    await withKeys(db.url, (keys) => keys.ensureBootstrap(KEY));
    const start = (role: keyof typeof ports) =>
      RoleProcess.start(role, { ...environment, PORT: String(ports[role]), METRICS_PORT: String(ports[role]) });
    [aggregator, api, worker] = await Promise.all([start('aggregator'), start('api'), start('worker')]);
    await until('the api is ready', async () => (await get('api', '/health/ready')).ok);
    const send = async (): Promise<string> => {
      const sent = await fetch(`http://127.0.0.1:${ports.api}/enrich/v1/batches?type=ethnicity`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'text/csv' },
        body: `surname,year\n${SURNAME},2016\n`,
      });
      expect(sent.status).toBe(202);
      const { id } = (await sent.json()) as { id: string };
      await until('the chunk is done', () => hasState('select state from chunk where batch_id = $1', id, 'done'));
      return id;
    };
    // The leader may enqueue a chunk before the api does, in another trace.
    batchId = await aggregator.suspendDuring(send);
    await until('the batch has completed', () =>
      hasState('select state from batch where id = $1', batchId, 'completed'),
    );
  });
  const hasState = async (sql: string, id: string, state: string): Promise<boolean> => {
    const { rows } = await db.pool.query<{ state: string }>(sql, [id]);
    return rows[0].state === state;
  };
  afterAll(async () => {
    await Promise.all([api, worker, aggregator].map((role) => role?.stop()));
    collector?.close();
    await db?.close();
    rmSync(home, { recursive: true });
  });

  it('expose exactly the metrics that the table lists for them', async () => {
    expect(await exposed('api')).toEqual(stated('api', 'every process', 'service'));
    expect(await exposed('worker')).toEqual(stated('worker', 'every process'));
    expect(await exposed('aggregator')).toEqual(stated('every process'));
  });

  it('count requests by route template, jobs by outcome and processes by role', async () => {
    const text = await until('the worker has told what it counted', async () => {
      const answer = await (await get('api', '/metrics')).text();
      return /donorlens_jobs_total\{queue="enrich",outcome="done"\} [1-9]/.test(answer) && answer; // sample jobs count
    });
    expect(text).toMatch(/_seconds_count\{method="POST",route="\/enrich\/v1\/batches",status="2xx"\} 1/);
    expect(text).toMatch(/donorlens_rows_total\{outcome="\w+"\} [1-9]/);
    for (const role of ['api', 'worker', 'aggregator']) expect(text).toContain(`donorlens_processes{role="${role}"} 1`);
    expect(text).toContain('donorlens_leader_present 1');
    expect(await (await get('worker', '/metrics')).text()).toMatch(
      /donorlens_job_duration_seconds_count\{queue="enrich",outcome="done"\} [1-9]/,
    );
    expect(text).not.toContain(SURNAME);
  });

  it('show the metrics of the api only to keys of operators, and answer probes of the other roles', async () => {
    expect((await get('api', '/metrics', 'some-other-key')).status).toBe(401);
    for (const role of ['worker', 'aggregator'] as const) {
      expect((await get(role, '/health/live')).status).toBe(200);
      expect(await (await get(role, '/health/ready')).json()).toEqual({ status: 'ready', version: VERSION });
      expect((await get(role, '/')).status).toBe(404);
    }
  });

  it('trace a request, and the job of its chunk in the same trace', async () => {
    const named = (name: string) => collector.spans.find((span) => span.name === name);
    const request = await until('the span of the request', () => named('POST /enrich/v1/batches'));
    const job = await until('the span of the job', () =>
      collector.spans.find((span) => attributesOf(span)['donorlens.batch_id'] === batchId),
    );
    expect(attributesOf(request)).toMatchObject({ 'http.route': '/enrich/v1/batches', 'http.request.method': 'POST' });
    expect(attributesOf(job)['donorlens.chunk']).toBe(0);
    expect(job.traceId).toBe(request.traceId);
    expect(collector.text).not.toMatch(new RegExp(`${SURNAME}|${KEY}`));
  });

  it('log the request, or the job and its outcome, with the trace', () => {
    const request = api.lines.find(({ route }) => route === '/enrich/v1/batches');
    expect(request).toMatchObject({ requestId: expect.stringMatching(/^[\da-f-]{36}$/) as string, status: 202 });
    const job = worker.lines.find((line) => line.msg === 'job: done' && line.batchId === batchId);
    expect(job).toMatchObject({ job: 'enrich-chunk', chunk: 0, attempt: 1, items: 1 });
    for (const field of ['queuedMs', 'ranMs', 'ok']) expect(job?.[field]).toEqual(expect.any(Number));
    expect(job?.traceId).toBe(request?.traceId);
  });

  it('leave no heartbeat when they end', async () => {
    await Promise.all([api, worker, aggregator].map((role) => role.stop()));
    expect((await db.pool.query('select role from process')).rows).toEqual([]);
  });
});

describe('a process whose event loop is blocked', () => {
  it('kills itself and logs the reason', () => {
    const stuck = `require('./dist/libs/observability/src').endWhenStuck('worker', 1); setTimeout(() => { for (;;); }, 600);`;
    const { signal, stdout } = spawnSync(process.execPath, ['-e', stuck], {
      cwd: ROOT,
      encoding: 'utf8',
      timeout: 60_000, // then spawnSync sends SIGTERM
    });
    expect([signal, stdout]).toEqual(['SIGKILL', expect.stringContaining('event loop blocked')]);
  });
});
