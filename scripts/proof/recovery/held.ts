import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

export interface Again {
  /** From the kill until another worker had it. */
  readonly claimedMs: number;
  /** From the kill until its results were stored. */
  readonly doneMs: number;
}

interface Chunk {
  readonly id: string;
  readonly state: string;
  readonly runs: number;
}

const LOOK_MS = 50;

/**
 * Which chunks a killed worker held, seen in the database. Nothing there names a worker; but a chunk that was leased
 * when it died and ends with more runs than it had was not ended by the one that had it.
 */
export class Held {
  private constructor(private readonly client: pg.Client) {}

  static async open(url: string): Promise<Held> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return new Held(client);
  }

  close(): Promise<void> {
    return this.client.end();
  }

  async areLeased(atLeast: number): Promise<boolean> {
    return (await this.leased()).length >= atLeast;
  }

  /** Resolves when every chunk that was leased is done. */
  async afterDeath(killed: number, withinMs: number): Promise<readonly Again[]> {
    const before = new Map((await this.leased()).map((chunk) => [chunk.id, chunk.runs]));
    const claimed = new Map<string, number>();
    const again: Again[] = [];
    while (before.size > 0) {
      const at = performance.now() - killed;
      if (at > withinMs)
        throw new Error(`${before.size} chunks are not done ${Math.round(at / 1000)} s after the kill`);
      for (const { id, state, runs } of await this.now([...before.keys()])) {
        const isAgain = runs > (before.get(id) ?? 0);
        if (isAgain && !claimed.has(id)) claimed.set(id, at);
        if (state !== 'done') continue;
        if (isAgain) again.push({ claimedMs: claimed.get(id) ?? at, doneMs: at });
        before.delete(id);
      }
      await pause(LOOK_MS);
    }
    return again;
  }

  private async leased(): Promise<readonly Chunk[]> {
    return this.chunks(`where state = 'leased'`, []);
  }

  private now(ids: readonly string[]): Promise<readonly Chunk[]> {
    return this.chunks(`where batch_id || '.' || seq = any ($1)`, [ids]);
  }

  private async chunks(where: string, values: unknown[]): Promise<readonly Chunk[]> {
    const { rows } = await this.client.query<Chunk>(
      `select batch_id || '.' || seq as id, state, runs from chunk ${where}`,
      values,
    );
    return rows;
  }
}
