import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type RunningServer, findRedisServer, freePort, startRedis } from '@donorlens/local-servers';
import { until } from '../until';

const PASSWORD = 'for-tests-only';
const SLOTS = 16_384;
const NODES = 3;
/** The other nodes report a node as failed after this time. */
const NODE_TIMEOUT_MS = 2_000;
const WHOLE_MS = 60_000;

/** Three nodes on the loopback interface, without replicas. Needs Redis 7 or newer, which has `cluster-port`. */
export class OwnRedisCluster {
  private readonly home = mkdtempSync(join(tmpdir(), 'donorlens-redis-cluster-'));
  readonly nodes: RunningServer[] = [];

  private constructor(private readonly durable: boolean) {}

  static async start({ durable = false } = {}): Promise<OwnRedisCluster> {
    const cluster = new OwnRedisCluster(durable);
    try {
      await cluster.form();
    } catch (error) {
      await cluster.end();
      throw error;
    }
    return cluster;
  }

  /** URL with all nodes; one of them is enough. */
  get url(): string {
    return `redis+cluster://:${PASSWORD}@${this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  }

  urlOf(node: number): string {
    return this.nodes[node].url;
  }

  /** Index of the node that holds the slot of a key. */
  async ownerOf(key: string): Promise<number> {
    return this.ask(0, async (redis) => Math.floor((await redis.cluster('KEYSLOT', key)) / (SLOTS / NODES)));
  }

  async ask<T>(node: number, question: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.urlOf(node));
    try {
      return await question(redis);
    } finally {
      redis.disconnect();
    }
  }

  freeze(node: number): void {
    process.kill(this.nodes[node].pid, 'SIGSTOP');
  }

  thaw(node: number): void {
    process.kill(this.nodes[node].pid, 'SIGCONT');
  }

  /** Unless it is durable, the node loses its keys but not its slots. */
  async restart(node: number): Promise<void> {
    await this.nodes[node].stop();
    this.nodes[node] = await this.nodes[node].restart();
  }

  /** Resolves when every node sees that all slots are covered. */
  async whole(): Promise<void> {
    for (let node = 0; node < NODES; node++)
      await until(
        `node ${node} sees the whole cluster`,
        () =>
          this.ask(node, async (redis) =>
            /cluster_state:ok[^]*cluster_known_nodes:3/.test(await redis.cluster('INFO')),
          ),
        WHOLE_MS,
      );
  }

  async end(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
    rmSync(this.home, { recursive: true, force: true });
  }

  private async form(): Promise<void> {
    const busPorts: number[] = [];
    for (let node = 0; node < NODES; node++) {
      busPorts.push(await freePort());
      this.nodes.push(await this.startNode(node, busPorts[node]));
    }
    for (let node = 0; node < NODES; node++)
      await this.ask(node, async (redis) => {
        const [from, to] = [node, node + 1].map((edge) => Math.ceil((edge * SLOTS) / NODES));
        await redis.call('cluster', 'addslotsrange', from, to - 1);
        await redis.call('cluster', 'set-config-epoch', node + 1);
      });
    await this.ask(0, async (redis) => {
      for (let node = 1; node < NODES; node++)
        await redis.call('cluster', 'meet', '127.0.0.1', this.nodes[node].port, busPorts[node]);
    });
    await this.whole();
  }

  private startNode(node: number, busPort: number): Promise<RunningServer> {
    const binary = findRedisServer(process.env.PATH ?? '');
    if (binary === null) throw new Error('no redis-server on the PATH');
    return startRedis({
      ...{ dataDir: join(this.home, String(node)), logFile: join(this.home, `${node}.log`), binary },
      ...{ password: PASSWORD, durable: this.durable },
      settings: [
        'cluster-enabled yes',
        `cluster-port ${busPort}`,
        `cluster-node-timeout ${NODE_TIMEOUT_MS}`,
        'cluster-config-file nodes.conf',
      ],
    });
  }
}
