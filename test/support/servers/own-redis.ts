import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SteppedClock } from '../pipeline/stepped-clock';
import { type RunningServer, findRedisServer, freePort, startRedis } from '@donorlens/local-servers';

const PASSWORD = 'for-tests-only';

/** A Redis that a test can start late, freeze, stop and restart, always at the same URL. */
export class OwnRedis {
  private readonly home = mkdtempSync(join(tmpdir(), 'donorlens-redis-'));
  private server: RunningServer | undefined;

  private constructor(readonly port: number) {}

  /** Reserves a port; nothing runs yet. */
  static async reserve(): Promise<OwnRedis> {
    return new OwnRedis(await freePort());
  }

  get url(): string {
    return `redis://:${PASSWORD}@127.0.0.1:${this.port}`;
  }

  async start(clock?: SteppedClock): Promise<void> {
    const binary = findRedisServer(process.env.PATH ?? '');
    if (binary === null) throw new Error('no redis-server on the PATH');
    this.server = await startRedis({
      dataDir: join(this.home, 'data'),
      logFile: join(this.home, 'redis.log'),
      binary: clock ? { ...binary, path: clock.wrapper(binary.path, 'redis-server') } : binary,
      port: this.port,
      password: PASSWORD,
      durable: false,
    });
  }

  freeze(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  thaw(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  /** Deletes all data: the server writes nothing to disk. */
  async stop(): Promise<void> {
    await this.server?.stop();
    this.server = undefined;
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.home, { recursive: true, force: true });
  }

  private get pid(): number {
    if (!this.server) throw new Error('not started');
    return this.server.pid;
  }
}
