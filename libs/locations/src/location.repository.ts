import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Pool, type PoolClient } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { GEOCODE_OUTCOMES, type GeocodeOutcome, type Location } from '@donorlens/primitives';
import { AddressKeys, type KeySettings } from './address-keys';
import { type RequestedAddress } from './address';
import { knownOutcomes, requestAddresses } from './pending-address.repository';

interface LocationRow {
  readonly address_key: Buffer;
  readonly outcome: number;
  readonly fips: string | null;
  readonly tract: string | null;
  readonly block: string | null;
  readonly address_id: string | null;
}

/** Known locations, and requests for unknown ones. Maps are by `key.toString('latin1')`. */
@Injectable()
export class LocationRepository implements BeforeApplicationShutdown {
  private readonly lookUps: LookUpCounter;

  /** @param settings - benchmark and vintage of requests, which are part of the keys; null if none is ever requested */
  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(AddressKeys) private readonly settings: KeySettings | null,
  ) {
    this.lookUps = new LookUpCounter(pool);
  }

  /**
   * Locations of those keys that have one. An expired one is unknown: its address is requested again. Hits and misses are
   * counted.
   */
  async find(keys: readonly Buffer[]): Promise<Map<string, Location>> {
    if (keys.length === 0) return new Map();
    const { rows } = await this.pool.query<LocationRow>(
      `select address_key, outcome, fips, tract, block, encode(address_id, 'hex') as address_id from location
       where address_key = any($1::bytea[]) and (expires_at is null or expires_at > now())`,
      [keys],
    );
    this.lookUps.count(rows.length, keys.length - rows.length);
    return new Map(rows.map((row) => [row.address_key.toString('latin1'), locationOf(row)]));
  }

  /** Only the outcomes, for many rows at a time. */
  async outcomes(keys: readonly Buffer[]): Promise<Map<string, GeocodeOutcome>> {
    const known = await knownOutcomes(this.pool, keys);
    this.lookUps.count(known.size, keys.length - known.size);
    return known;
  }

  /**
   * Requests unknown addresses. Runs in the caller's transaction, which is `read committed` and contains each address
   * once. Until that transaction ends, no outcome of a requested address can be stored, so the caller can store which
   * rows wait.
   * @param requestedBy - batch; the nil uuid for single lookups, null for an import
   * @returns addresses whose outcome was stored since; these are not requested
   */
  async ask(
    client: PoolClient,
    addresses: readonly RequestedAddress[],
    requestedBy: string | null,
  ): Promise<Map<string, GeocodeOutcome>> {
    if (this.settings === null) throw new Error('LocationRepository has no settings to request addresses with');
    return requestAddresses(client, addresses, requestedBy, this.settings);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.lookUps.flush();
  }
}

const locationOf = ({ outcome, fips, tract, block, address_id }: LocationRow): Location => ({
  outcome: GEOCODE_OUTCOMES[outcome],
  fips,
  tract,
  block,
  addressId: address_id,
});

const FLUSH_MS = 10_000;

/** Counts lookups in memory and adds them to the shared row, at most every ten seconds and without a guarantee. */
export class LookUpCounter {
  private hits = 0;
  private misses = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly flushMs = FLUSH_MS,
  ) {}

  count(hits: number, misses: number): void {
    this.hits += hits;
    this.misses += misses;
    this.timer ??= setTimeout(() => void this.flush(), this.flushMs).unref();
  }

  /** Never rejects: a count that is slightly low does no harm. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { hits, misses } = this;
    if (hits + misses === 0) return;
    this.hits = this.misses = 0;
    await this.pool
      .query('update geocoder set hits = hits + $1, misses = misses + $2', [hits, misses])
      .catch(() => undefined);
  }
}
