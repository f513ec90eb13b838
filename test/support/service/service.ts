import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextEvents } from 'node:timers/promises';
import { endWithUs, freePort } from '@donorlens/local-servers';
import { builtApp, ROOT } from '../installation';
import { until } from '../until';

export { ROOT };
export const CLI = builtApp('cli');
/** For full reference data on a busy machine; a test ends earlier by its own timeout. */
const READY_MS = 600_000;
export const KEY = 'end-to-end-tests-key';

/** A complete donorlens, started like `npm start`, with its own home. */
export class Service {
  output = '';

  private constructor(
    readonly home: string,
    readonly port: number,
    readonly child: ChildProcess,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  static async start(
    env: NodeJS.ProcessEnv = {},
    home = mkdtempSync(join(tmpdir(), 'donorlens-e2e-')),
    checkout = ROOT,
  ): Promise<Service> {
    const port = await freePort();
    const child = spawn(process.execPath, [builtApp('cli', checkout), 'start'], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PORT: String(port),
        BOOTSTRAP_KEY: KEY,
        DATA_SOURCE: join(ROOT, 'libs/reference-data/sample'),
        GEOCODER_URL: 'http://127.0.0.1:9/geocoder', // a closed port: no test calls the Census Bureau
        NO_COLOR: '1',
        ...env,
        DONORLENS_HOME: home,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    endWithUs(child, 'SIGTERM');
    const service = new Service(home, port, child);
    child.stdout?.on('data', (text: Buffer) => (service.output += text.toString()));
    child.stderr?.on('data', (text: Buffer) => (service.output += text.toString()));
    await until(
      'the service is ready',
      async () => {
        if (child.exitCode !== null)
          throw new Error(`the service ended with ${child.exitCode}:\n${service.output.slice(-4000)}`);
        return (await fetch(`${service.url}/health/ready`).catch(() => null))?.ok;
      },
      READY_MS,
    ).catch((error: Error) => {
      child.kill('SIGKILL');
      throw new Error(`${error.message}\n${service.output.slice(-4000)}`);
    });
    return service;
  }

  /** The file of the supervisor for local commands, with process ids of its children and servers. */
  run(): { pid: number; databaseUrl: string; processes: Record<string, number> } {
    return JSON.parse(readFileSync(join(this.home, 'run.json'), 'utf8'));
  }

  /** Sends SIGKILL to one of the supervised processes, by its id. */
  kill(role: string): number {
    const pid = this.run().processes[role];
    if (!pid) throw new Error(`no process ${role} in ${JSON.stringify(this.run())}`);
    process.kill(pid, 'SIGKILL');
    return pid;
  }

  /**
   * Tests run programs synchronously. A connection that the api closed meanwhile, after 72 seconds without a request,
   * would be used again if its end were not read first.
   */
  private async send(path: string, init: RequestInit): Promise<Response> {
    for (let polls = 0; polls < 2; polls++) await nextEvents();
    return fetch(this.url + path, init);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- JSON answer, checked by assertions
  async json<T = any>(path: string, init: RequestInit = {}): Promise<T> {
    const response = await this.send(path, {
      ...init,
      headers: {
        authorization: `Bearer ${KEY}`,
        accept: 'application/json',
        ...(init.headers as Record<string, string>),
      },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 500)}`);
    return JSON.parse(text);
  }

  async text(path: string, init: RequestInit = {}): Promise<string> {
    const response = await this.send(path, {
      ...init,
      headers: { authorization: `Bearer ${KEY}`, ...(init.headers as Record<string, string>) },
    });
    if (!response.ok) throw new Error(`${response.status} ${(await response.text()).slice(0, 500)}`);
    return response.text();
  }

  /** Waits until the api serves the version; it checks for a new one once a second. */
  async servesCharts(versionId: string): Promise<void> {
    await until(`charts of version ${versionId} are served`, async () => {
      const path = '/data-charts/v1/breakdown/candidate?cycle=2024&by=gender';
      const { headers } = await this.send(path, { headers: { authorization: `Bearer ${KEY}` } });
      return headers.get('data-version')?.endsWith(`-${versionId}`);
    });
  }

  async stop(keepHome = false): Promise<number | null> {
    const ended = new Promise<number | null>((done) =>
      this.child.exitCode === null ? this.child.once('exit', done) : done(this.child.exitCode),
    );
    this.child.kill('SIGTERM');
    const code = await ended;
    if (!keepHome) rmSync(this.home, { recursive: true, force: true });
    return code;
  }
}
