import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { TcpProxy } from '../../../test/support/servers/tcp-proxy';
import { WebhookReceiver } from '../../../test/support/servers/webhook-receiver';
import { seeded } from '../../../test/support/seeded';
import { Installation, type QueueBackend, ROOT, type Role } from '../../../test/support/installation';
import { FOLDER_VARIABLE } from '../../../test/support/fault-injection/intercepted-call';
import { BatchClient } from '../support/batch-client';
import { RoundFiles, withoutSample } from '../../../test/support/reference-data/data-folders';
import { startGeocoder, type SyntheticGeocoder } from '../../../test/support/installation/geocoder';

export const ROLES: readonly Role[] = ['api', 'worker', 'aggregator'];
const WATCH_MS = 50;

/** What expires 10 to 30 s after a process has ended, by role. The test lets it expire at once. */
const EXPIRES: Readonly<Record<Role, readonly string[]>> = {
  api: [],
  worker: [
    `update chunk set lease_until = now() - interval '1 second' where state = 'leased'`,
    `update geocode_call set lease_until = now() - interval '1 second' where state = 'leased'`,
  ],
  aggregator: [
    `update lease set expires_at = now() - interval '1 second' where expires_at > now()`,
    `update webhook_delivery set next_at = now() where state = 'pending'`,
  ],
};
const RECONCILED = [
  `update chunk set enqueued_at = enqueued_at - interval '1 minute' where state = 'queued'`,
  `update geocode_call set enqueued_at = enqueued_at - interval '1 minute' where state = 'queued'`,
  `update chunk set not_before = now() where not_before > now()`,
  `update geocode_call set not_before = now() where not_before > now()`,
];

/**
 * An installation with one process of each role, which crashes at armed points; a geocoder behind a proxy, a webhook
 * receiver and a data folder. Leases and locks of ended processes expire at once.
 */
export class CrashStage {
  private readonly seenDeaths = new Map<Role, number>(ROLES.map((role) => [role, 0]));
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    readonly installation: Installation,
    readonly client: BatchClient,
    readonly pool: pg.Pool,
    readonly files: RoundFiles,
    readonly receiver: WebhookReceiver,
    /** The proxy between the installation and the geocoder. */
    readonly geocoder: TcpProxy,
    private readonly geocoderProcess: SyntheticGeocoder,
    private readonly redis: Redis | null,
  ) {}

  static async start(queue: QueueBackend, folder: string): Promise<CrashStage> {
    const [geocoderProcess, receiver, files] = await Promise.all([
      startGeocoder(),
      WebhookReceiver.start(),
      RoundFiles.create(join(folder, 'data')),
    ]);
    const geocoder = await TcpProxy.to(Number(new URL(geocoderProcess.url).port));
    const installation = await Installation.start({
      ...{ queue, tuning: 'test', databaseUrl: withoutSample },
      geocoderUrl: geocoder.through(geocoderProcess.url),
      nodeOptions: ['-r', join(ROOT, 'dist/test/support/fault-injection/crash.js')],
      environment: {
        ...{ CHUNK_ROWS: '20', GEOCODE_CALL_ROWS: '5', FEC_IMPORT_AT: '00:00', REFERENCE_REFRESH: 'off' },
        [FOLDER_VARIABLE]: folder,
        DATA_SOURCE: files.path,
        WEBHOOK_ALLOWED_HOSTS: receiver.host,
      },
    });
    const pool = new pg.Pool({ connectionString: installation.postgres.url, max: 6 });
    const redis = installation.redis ? new Redis(installation.redis.url) : null;
    const client = new BatchClient(installation.apiUrls, seeded(1));
    const stage = new CrashStage(installation, client, pool, files, receiver, geocoder, geocoderProcess, redis);
    stage.watch();
    return stage;
  }

  unexpectedExits(role: Role): number {
    return this.installation.of(role).reduce((sum, { deaths }) => sum + deaths, 0);
  }

  /** Sends a signal to every process of the role; the supervisor restarts it. */
  end(role: Role, signal: NodeJS.Signals): void {
    for (const process of this.installation.of(role)) process.signal(signal);
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.pool.end();
    this.redis?.disconnect();
    await this.installation.stop();
    await Promise.all([this.geocoder.close(), this.receiver.stop()]);
    await this.geocoderProcess.stop();
  }

  private watch(): void {
    const look = async (): Promise<void> => {
      for (const role of ROLES) {
        const deaths = this.unexpectedExits(role);
        if (deaths === this.seenDeaths.get(role)) continue;
        this.seenDeaths.set(role, deaths);
        await this.expire(role);
      }
    };
    const repeat = (): void => {
      const next = (): Promise<void> => look().then(repeat, repeat);
      this.timer = setTimeout(() => void next(), WATCH_MS);
    };
    repeat();
  }

  private async expire(role: Role): Promise<void> {
    for (const sql of [...EXPIRES[role], ...RECONCILED]) await this.pool.query(sql).catch(() => undefined);
    if (this.redis && role === 'worker')
      for (const queue of ['enrich', 'geocode']) await expireLocks(this.redis, queue);
  }
}

/** BullMQ needs two checks, 5 s apart: the first marks active jobs, the second requeues marked jobs without a lock. */
async function expireLocks(redis: Redis, queue: string): Promise<void> {
  const key = (name: string): string => `{donorlens}:${queue}:${name}`;
  const jobs = await redis.lrange(key('active'), 0, -1);
  if (jobs.length === 0) return;
  await redis.del(key('stalled-check'), ...jobs.map((job) => key(`${job}:lock`)));
  await redis.sadd(key('stalled'), ...jobs);
}
