import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnRedisCluster } from '../installation/redis-cluster';
import { startPgbouncer } from '../installation/pgbouncer';
import { KeptServer } from '../installation';

/** Connections that PgBouncer has to the server, for all processes together: about a seventh of what they would open. */
export const POOL_SIZE = 20;

/** A Redis Cluster of three nodes whose killed nodes come back by themselves. */
export class KeptCluster {
  private constructor(
    private readonly cluster: OwnRedisCluster,
    readonly nodes: readonly KeptServer[],
    private readonly owner: number,
  ) {}

  static async start(): Promise<KeptCluster> {
    const cluster = await OwnRedisCluster.start({ durable: true });
    const nodes = cluster.nodes.map((node, nth) => new KeptServer(`redis-${nth}`, node));
    return new KeptCluster(cluster, nodes, await cluster.ownerOf('{donorlens}'));
  }

  /** Names one node only, and that is not the one that holds our keys. */
  get url(): string {
    const other = new URL(this.other.url);
    return `redis+cluster://:${other.password}@${other.host}`;
  }

  get holder(): KeptServer {
    return this.nodes[this.owner];
  }

  get other(): KeptServer {
    return this.nodes[(this.owner + 1) % this.nodes.length];
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
    await this.cluster.end();
  }
}

/** PgBouncer in transaction mode in front of a Postgres, back by itself when it is killed. */
export class KeptPooler {
  private readonly home = mkdtempSync(join(tmpdir(), 'donorlens-pooler-'));
  private server: KeptServer | undefined;

  async start(postgresUrl: string): Promise<string> {
    chmodSync(this.home, 0o711); // as root, pgbouncer runs as another user, who has to pass
    this.server = new KeptServer(
      'pgbouncer',
      await startPgbouncer({ home: this.home, postgresUrl, poolSize: POOL_SIZE }),
    );
    return this.server.url;
  }

  get running(): KeptServer {
    if (!this.server) throw new Error('not started');
    return this.server;
  }

  async stop(): Promise<void> {
    await this.server?.stop();
    rmSync(this.home, { recursive: true, force: true });
  }
}
