import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import pg from 'pg';
import { pipeline } from 'node:stream/promises';
import { sampleItcont, writeSampleFiles } from '@donorlens/fec-sample';
import { CLI, ROOT, Service } from '../support/service';
import { until } from '../support/until';

const ROWS = Number(process.env.BROKEN_IMPORT_ROWS ?? 60_000);
const CYCLE = '2024';
const PATHS = [
  `cumulative_donors/candidate?cycle=${CYCLE}`,
  `age_distribution/committee?cycle=${CYCLE}&basis=adult`,
  `breakdown/candidate?cycle=${CYCLE}&by=gender&by=age&by=ethnicity&by=state`,
  `contributions/search?cycle=2022&cycle=${CYCLE}&cycle=2026`,
];

interface Report {
  charts: { versionId: string };
  contributions: { outcome: string; linesRead: number; kept: number; stored: number; duplicates: number };
}

/** Synthetic files served like the publisher's. The second service never crashes: it gives the expected result. */
describe('an import that is killed', () => {
  let folder: string;
  let itcont: string;
  const services: Service[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'donorlens-fec-'));
    await writeSampleFiles(folder, { rows: 1_000 });
    rmSync(join(folder, 'sample.json'));
    itcont = join(folder, 'itcont.txt');
    await pipeline(
      Readable.from(sampleItcont({ rows: ROWS, seed: 11, cycle: Number(CYCLE) })),
      createWriteStream(itcont),
    );
  });
  afterAll(async () => {
    for (const service of services) await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function started(): Promise<Service> {
    const service = await Service.start({ LOG_LEVEL: 'warn', FEC_IMPORT_AT: 'off' });
    services.push(service);
    await until(
      'the sample is in',
      async () => (await table(service, `candidate/search?cycle=${CYCLE}`).catch(() => '')).length > 500,
      60_000,
    );
    await report(command(service, '--cycle', CYCLE, '--masters', '--source', folder));
    return service;
  }

  const command = ({ home }: Service, ...args: string[]): ChildProcess =>
    spawn(process.execPath, [CLI, 'import', 'fec', ...args, '--json'], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, DONORLENS_HOME: home, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  async function report(child: ChildProcess): Promise<Report> {
    let out = '';
    let err = '';
    child.stdout?.on('data', (text: Buffer) => (out += text.toString()));
    child.stderr?.on('data', (text: Buffer) => (err += text.toString()));
    const code = await new Promise((done) => child.once('close', done));
    if (code !== 0) throw new Error(`import ended with ${String(code)}: ${err}`);
    return JSON.parse(out) as Report;
  }

  const contributions = (service: Service): ChildProcess =>
    command(service, '--cycle', CYCLE, '--contributions', itcont);
  const table = (service: Service, path: string) =>
    service.text(`/data-charts/v1/${path}`, { headers: { accept: 'text/csv' } });
  const stored = async (service: Service) => (await table(service, PATHS[3]).catch(() => '')).split('\n').length;

  /** Asked of the database, many times a second. */
  async function hasRead(service: Service, lines: number): Promise<void> {
    const client = new pg.Client({ connectionString: service.run().databaseUrl });
    await client.connect();
    const newest = `select state, lines_read from fec_import where kind = 'contributions' order by id desc limit 1`;
    // Who was killed holds its lease for 15 s.
    await until(
      `${lines} lines are read`,
      async () => {
        const { rows } = await client.query<{ state: string; lines_read: string }>(newest);
        return rows.some(({ state, lines_read: read }) => state === 'loading' && Number(read) >= lines);
      },
      120_000,
    ).finally(() => client.end());
  }

  /** It may just be starting again after the kill before. */
  const killed = (service: Service, role: string) =>
    until(`a ${role} to kill`, () => {
      try {
        return service.kill(role);
      } catch {
        return false;
      }
    });

  it('goes on where it was, and ends with the same rows, charts and bytes as one that was not', async () => {
    const service = await started();
    for (const share of [0.1, 0.4]) {
      const child = contributions(service);
      await hasRead(service, share * ROWS);
      child.kill('SIGKILL');
      await killed(service, 'worker');
    }
    const resumed = await report(contributions(service));
    expect(resumed.contributions).toMatchObject({ outcome: 'imported', linesRead: ROWS });

    const calm = await started();
    const whole = await report(contributions(calm));
    expect(resumed.contributions).toEqual({ ...whole.contributions, importId: expect.any(String) });
    await service.servesCharts(resumed.charts.versionId);
    await calm.servesCharts(whole.charts.versionId);
    for (const path of PATHS) expect((await table(service, path)) === (await table(calm, path))).toBe(true);
    expect(await stored(service)).toBe(whole.contributions.stored + 2);
  }, 400_000);
});
