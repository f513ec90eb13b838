import { Inject, Injectable } from '@nestjs/common';
import { SINGLE_LOOKUPS_BATCH_ID, SingleLookupAddresses } from '@donorlens/batches';
import { inTransaction, PG_POOL } from '@donorlens/database';
import { type EnrichedItem } from '@donorlens/enrichment';
import { type RequestedAddress, LocationRepository } from '@donorlens/locations';
import { LOGGER, type Logger } from '@donorlens/observability';
import { type Location, TimeoutError, withTimeout } from '@donorlens/primitives';
import { type Pool } from 'pg';

/** A request waits at most FIND_MS + STORE_WAIT_MS for the database. Finding 10,000 addresses takes a tenth of that. */
const FIND_MS = 1_500;
const STORE_WAIT_MS = 500;
/** Statement timeout of storing, which continues after the request has been answered. */
const STORE_TIMEOUT_MS = 5_000;
/** Maximum number of database calls that have exceeded their timeout. Each one holds a connection. */
const MAX_TIMED_OUT_CALLS = 3;
/** The count of pending addresses is cached this long, because it may read 100,000 rows. */
const CAPACITY_TTL_MS = 2_000;

/** Geocoding results of the addresses of a request. */
export interface FoundAddresses {
  /** Geocoding results by `key.toString('latin1')`. */
  readonly locations: ReadonlyMap<string, Location>;
  /** Distinct addresses without a result. */
  readonly unknown: readonly RequestedAddress[];
  /** False if the database did not answer in time; the addresses may still have results. */
  readonly isAnswered: boolean;
}

/** Finds and queues addresses of lookups. If the database is unavailable, they are pending and no request fails. */
@Injectable()
export class AddressLookup {
  private late = 0;
  private capacity = 0;
  private capacityExpiresAt = -Infinity;

  constructor(
    private readonly locations: LocationRepository,
    private readonly singles: SingleLookupAddresses,
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Finds all addresses with one statement. Sends no statement if there are no addresses. */
  async find(items: readonly EnrichedItem[]): Promise<FoundAddresses> {
    const distinct = distinctAddresses(items);
    if (distinct.size === 0) return { locations: new Map(), unknown: [], isAnswered: true };
    const requested = [...distinct.values()];
    const found = await this.bounded(FIND_MS, () => this.locations.find(requested.map(({ key }) => key)));
    const locations = found ?? new Map<string, Location>();
    for (const key of locations.keys()) distinct.delete(key);
    return { locations, unknown: [...distinct.values()], isAnswered: found !== null };
  }

  /**
   * Queues the addresses for geocoding. Addresses that cannot be stored now, or exceed the limit of pending ones, are
   * queued by the next request with them.
   */
  async enqueue(addresses: readonly RequestedAddress[]): Promise<void> {
    if (addresses.length === 0) return;
    await this.bounded(STORE_WAIT_MS, async () => {
      const requested = await this.withinCapacity(addresses);
      if (requested.length === 0) return;
      await inTransaction(this.pool, (client) => this.locations.ask(client, requested, SINGLE_LOOKUPS_BATCH_ID), {
        statementTimeoutMs: STORE_TIMEOUT_MS,
      });
    });
  }

  /** Returns the addresses that the limit still allows. Processes cache the count and may exceed the limit a little. */
  private async withinCapacity(addresses: readonly RequestedAddress[]): Promise<readonly RequestedAddress[]> {
    if (performance.now() > this.capacityExpiresAt) {
      this.capacity = await this.singles.room();
      this.capacityExpiresAt = performance.now() + CAPACITY_TTL_MS;
      if (this.capacity <= 0)
        this.logger.warn('addresses of lookups are not queued for geocoding: too many are pending');
    }
    const requested = addresses.slice(0, Math.max(0, this.capacity));
    this.capacity -= requested.length;
    return requested;
  }

  /** @returns null if the database fails, the call times out, or too many timed-out calls are still running */
  private async bounded<T>(ms: number, work: () => Promise<T>): Promise<T | null> {
    if (this.late >= MAX_TIMED_OUT_CALLS) return null;
    const running = work();
    try {
      return await withTimeout(ms, () => running);
    } catch (error) {
      if (error instanceof TimeoutError) this.watch(running);
      else this.logger.warn({ code: codeOf(error) }, 'address lookup failed, the addresses stay pending');
      return null;
    }
  }

  private watch(running: Promise<unknown>): void {
    this.late++;
    this.logger.warn({ late: this.late }, 'address lookup timed out, the addresses stay pending');
    const ended = (): void => void this.late--;
    running.then(ended, ended);
  }
}

/** Only the code is logged, because messages of database errors may contain addresses. */
const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code ?? 'unknown';

/** Distinct addresses. `order` is the first row, as in a batch: the geocoder takes first rows of all requests first. */
function distinctAddresses(items: readonly EnrichedItem[]): Map<string, RequestedAddress> {
  const distinct = new Map<string, RequestedAddress>();
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
