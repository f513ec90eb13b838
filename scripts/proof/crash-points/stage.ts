import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { migrate } from '@donorlens/database';
import { noteSampleWhole } from '@donorlens/imports';
import { createLogger } from '@donorlens/observability';
import { Installation, type QueueBackend, ROOT, type Role, TcpProxy } from '../installation';
import { FOLDER_VARIABLE } from '../inside/role';
import { type MadeUpGeocoder, madeUpGeocoder } from '../made-up-geocoder';
import { Asking } from './asking';
import { DataFolder } from './data-folder';
import { timePasses } from './time-passes';

const WATCH_MS = 50;
const ROLES: readonly Role[] = ['api', 'worker', 'aggregator'];
const SMALL = { CHUNK_ROWS: '20', GEOCODE_CALL_ROWS: '5', LOG_LEVEL: 'info' };

/** One process of each role with the points' preload, a geocoder, a receiver of messages and a folder of files; time passes for the dead. */
export class Stage {
  private readonly seen = new Map<Role, number>(ROLES.map((role) => [role, 0]));
  private watching: NodeJS.Timeout | undefined;

  private constructor(
    readonly installation: Installation,
    readonly data: DataFolder,
    readonly pool: pg.Pool,
    private readonly redis: Redis | null,
    readonly hook: Hook,
    private readonly madeUp: MadeUpGeocoder,
    readonly geocoder: TcpProxy,
    readonly asking: Asking,
  ) {}

  static async set(queue: QueueBackend, folder: string): Promise<Stage> {
    const [madeUp, hook, data] = await Promise.all([
      madeUpGeocoder(),
      Hook.start(),
      DataFolder.make(join(folder, 'data')),
    ]);
    const geocoder = await TcpProxy.to(Number(new URL(madeUp.url).port));
    const installation = await Installation.start({
      queue,
      geocoderUrl: geocoder.through(madeUp.url),
      tuning: 'test',
      databaseUrl: withoutSample,
      nodeOptions: ['-r', join(ROOT, 'dist/scripts/proof/inside/crash.js')],
      environment: {
        ...SMALL,
        [FOLDER_VARIABLE]: folder,
        DATA_SOURCE: data.path,
        FEC_IMPORT_AT: '00:00',
        REFERENCE_REFRESH: 'off',
        WEBHOOK_ALLOWED_HOSTS: new URL(hook.url).host,
      },
    });
    const pool = new pg.Pool({ connectionString: installation.postgres.url, max: 6 });
    const redis = installation.redis ? new Redis(installation.redis.url) : null;
    const asking = new Asking(() => installation.apiUrls[0]);
    const stage = new Stage(installation, data, pool, redis, hook, madeUp, geocoder, asking);
    stage.watch();
    return stage;
  }

  deaths(role: Role): number {
    return this.installation.of(role).reduce((sum, kept) => sum + kept.deaths, 0);
  }

  /** Every process of the role ends, and is started again. */
  end(role: Role, signal: NodeJS.Signals): void {
    for (const kept of this.installation.of(role)) kept.signal(signal);
  }

  endAll(signal: NodeJS.Signals): void {
    for (const role of ROLES) this.end(role, signal);
  }

  async clear(): Promise<void> {
    clearTimeout(this.watching);
    await this.pool.end();
    this.redis?.disconnect();
    await this.installation.stop();
    await Promise.all([this.geocoder.close(), this.hook.stop()]);
    await this.madeUp.stop();
  }

  private watch(): void {
    const look = async (): Promise<void> => {
      for (const role of ROLES) {
        const deaths = this.deaths(role);
        if (deaths === this.seen.get(role)) continue;
        this.seen.set(role, deaths);
        await timePasses(role, this.pool, this.redis);
      }
    };
    const again = (): void => {
      this.watching = setTimeout(
        () =>
          void look()
            .catch(() => undefined)
            .finally(again),
        WATCH_MS,
      );
    };
    again();
  }
}

/** The made-up campaign of a new installation is told to be there: ours is smaller. */
async function withoutSample(url: string): Promise<string> {
  await migrate(url, createLogger('proof', 'silent'));
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  await noteSampleWhole(pool);
  await pool.end();
  return url;
}

/** Somebody who is told the ends of batches. */
class Hook {
  readonly told = new Set<string>();

  private constructor(private readonly server: ReturnType<typeof createServer>) {}

  static async start(): Promise<Hook> {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        hook.told.add((JSON.parse(body) as { data: { id: string } }).data.id);
        response.writeHead(204).end();
      });
    });
    const hook = new Hook(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return hook;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/told`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}
