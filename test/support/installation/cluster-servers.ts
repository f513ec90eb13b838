import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPgbouncer } from '../servers/pgbouncer';
import { OwnRedisCluster } from '../servers/redis-cluster';
import { SupervisedServer } from '.';

/** Connections from PgBouncer to Postgres, about a seventh of those that the processes would open. */
export const POOL_SIZE = 20;

/** A Redis Cluster of three nodes that restart when they are killed. */
export class RestartingCluster {
  private constructor(
    private readonly cluster: OwnRedisCluster,
    private readonly nodes: readonly SupervisedServer[],
    private readonly owner: number,
  ) {}

  static async start(): Promise<RestartingCluster> {
    const cluster = await OwnRedisCluster.start({ durable: true });
    const nodes = cluster.nodes.map((node, nth) => new SupervisedServer(`redis-${nth}`, node));
    return new RestartingCluster(cluster, nodes, await cluster.ownerOf('{donorlens}'));
  }

  /** Contains one node only, and not the one with the jobs. */
  get url(): string {
    const { password, host } = new URL(this.other.url);
    return `redis+cluster://:${password}@${host}`;
  }

  /** The node with the jobs. */
  get holder(): SupervisedServer {
    return this.nodes[this.owner];
  }

  get other(): SupervisedServer {
    return this.nodes[(this.owner + 1) % this.nodes.length];
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
    await this.cluster.end();
  }
}

/** PgBouncer in transaction mode, which restarts when it is killed. */
export class RestartingPooler {
  private readonly home = mkdtempSync(join(tmpdir(), 'donorlens-pooler-'));
  private server: SupervisedServer | undefined;

  /** @returns the URL of Postgres through PgBouncer */
  async start(postgresUrl: string): Promise<string> {
    chmodSync(this.home, 0o711); // as root, pgbouncer runs as another user, who needs access
    const server = await startPgbouncer({ home: this.home, postgresUrl, poolSize: POOL_SIZE });
    this.server = new SupervisedServer('pgbouncer', server);
    return this.server.url;
  }

  get running(): SupervisedServer {
    if (!this.server) throw new Error('not started');
    return this.server;
  }

  async stop(): Promise<void> {
    await this.server?.stop();
    rmSync(this.home, { recursive: true, force: true });
  }
}
