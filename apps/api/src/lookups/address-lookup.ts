import { Inject, Injectable } from '@nestjs/common';
import { SINGLE_REQUESTS, SingleRequests } from '@donorlens/batches';
import { inTransaction, PG_POOL } from '@donorlens/database';
import { type EnrichedItem } from '@donorlens/enrichment';
import { type AskedAddress, LocationRepository } from '@donorlens/locations';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type Location } from '@donorlens/primitives';
import { type Pool } from 'pg';
import { inTime } from './in-time';

/** Together the longest that a request waits for the database; looking 10,000 addresses up takes a tenth of it. */
const FIND_MS = 1_500;
const ASK_MS = 500;
/** Storing goes on without the request, but not for ever. */
const STORE_MS = 5_000;
/** Work of ours that is late: each holds a connection that others need. */
const MOST_LATE = 3;
/** So long a count of what waits is good: it may read a hundred thousand rows. */
const ROOM_KEPT_MS = 2_000;

/** What is known of the addresses of a request. */
export interface FoundAddresses {
  /** By `key.toString('latin1')`. */
  readonly locations: ReadonlyMap<string, Location>;
  /** Those without an outcome, each once. */
  readonly unknown: readonly AskedAddress[];
  /** False where the database did not answer. Nothing is known then, which says nothing about the addresses. */
  readonly isAnswered: boolean;
}

/** Addresses of single requests. The database may be away: then they are not known yet, and no request fails for that. */
@Injectable()
export class AddressLookup {
  private late = 0;
  private room = 0;
  private roomUntil = -Infinity;

  constructor(
    private readonly locations: LocationRepository,
    private readonly singles: SingleRequests,
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** One statement for all of them; none where there is none to look up. */
  async find(items: readonly EnrichedItem[]): Promise<FoundAddresses> {
    const distinct = distinctAddresses(items);
    if (distinct.size === 0) return { locations: new Map(), unknown: [], isAnswered: true };
    const asked = [...distinct.values()];
    const found = await this.bounded(FIND_MS, () => this.locations.find(asked.map(({ key }) => key)));
    const locations = found ?? new Map<string, Location>();
    for (const key of locations.keys()) distinct.delete(key);
    return { locations, unknown: [...distinct.values()], isAnswered: found !== null };
  }

  /**
   * Has the geocoder asked for them, for those who come again. What cannot be stored now, or is too much, is asked for
   * by the next request.
   */
  async ask(addresses: readonly AskedAddress[]): Promise<void> {
    if (addresses.length === 0) return;
    await this.bounded(ASK_MS, async () => {
      const asked = await this.withinRoom(addresses);
      if (asked.length === 0) return;
      await inTransaction(this.pool, (client) => this.locations.ask(client, asked, SINGLE_REQUESTS), {
        statementTimeoutMs: STORE_MS,
      });
    });
  }

  /** As many as may still wait. Other processes count too, each for itself for a moment: a few more may come to wait. */
  private async withinRoom(addresses: readonly AskedAddress[]): Promise<readonly AskedAddress[]> {
    if (performance.now() > this.roomUntil) {
      this.room = await this.singles.room();
      this.roomUntil = performance.now() + ROOM_KEPT_MS;
      if (this.room <= 0) this.logger.warn('no address of a single request is asked for: too many wait');
    }
    const asked = addresses.slice(0, Math.max(0, this.room));
    this.room -= asked.length;
    return asked;
  }

  /** @returns null where the database fails, takes too long, or is late already */
  private async bounded<T>(ms: number, work: () => Promise<T>): Promise<T | null> {
    if (this.late >= MOST_LATE) return null;
    const running = work();
    try {
      const result = await inTime(running, ms);
      if (result === null) this.watch(running);
      return result;
    } catch (error) {
      this.logger.warn({ code: codeOf(error) }, 'addresses were not looked up');
      return null;
    }
  }

  private watch(running: Promise<unknown>): void {
    this.late++;
    this.logger.warn({ late: this.late }, 'the database takes long to look addresses up');
    const ended = (): void => void this.late--;
    running.then(ended, ended);
  }
}

/** Texts of database errors may hold what was sent. */
const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code ?? 'unknown';

/** Each address once. A request stands in line as a batch does: its first row beside the first rows of all others. */
function distinctAddresses(items: readonly EnrichedItem[]): Map<string, AskedAddress> {
  const distinct = new Map<string, AskedAddress>();
  for (const [i, { address, addressKey: key, outcome }] of items.entries()) {
    if (address === null || key === null) continue;
    const name = key.toString('latin1');
    const known = distinct.get(name) ?? { ...address, key, order: i + 1, rows: 0, okRows: 0 };
    known.rows++;
    if (outcome === 'ok') known.okRows++;
    distinct.set(name, known);
  }
  return distinct;
}
