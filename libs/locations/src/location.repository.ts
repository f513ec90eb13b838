import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Pool, type PoolClient } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { GEOCODE_OUTCOMES, type GeocodeOutcome, type Location } from '@donorlens/primitives';
import { AddressKeys, type KeySettings } from './address-keys';
import { askFor } from './ask';
import { type AskedAddress } from './asked-address';
import { LookUpCounter } from './look-up-counter';
import { knownOutcomes } from './known-outcomes';

interface LocationRow {
  readonly address_key: Buffer;
  readonly outcome: number;
  readonly fips: string | null;
  readonly tract: string | null;
  readonly block: string | null;
  readonly address_id: string | null;
}

/** What is known of addresses, and asking for what is not. Maps are by `key.toString('latin1')`. */
@Injectable()
export class LocationRepository implements BeforeApplicationShutdown {
  private readonly lookUps: LookUpCounter;

  /** @param settings under which addresses are asked for, those that their keys are made of; null where none ever is */
  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(AddressKeys) private readonly settings: KeySettings | null,
  ) {
    this.lookUps = new LookUpCounter(pool);
  }

  /**
   * Locations of those keys that have one. One that has expired is not known: its address is to be asked again. What was
   * found and what was not is counted.
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

  /** The same with less to read, for many rows at a time. */
  async outcomes(keys: readonly Buffer[]): Promise<Map<string, GeocodeOutcome>> {
    const known = await knownOutcomes(this.pool, keys);
    this.lookUps.count(known.size, keys.length - known.size);
    return known;
  }

  /**
   * In the caller's transaction, which is `read committed` and brings each address once: asks for what is not known.
   * Afterwards, until the transaction ends, no outcome of an address that was asked for can be stored; so the caller can
   * write down who waits for it.
   * @param askedBy  batch; the nil uuid for single requests, null for an import
   * @returns        those that became known meanwhile: these are not asked for
   */
  async ask(
    client: PoolClient,
    addresses: readonly AskedAddress[],
    askedBy: string | null,
  ): Promise<Map<string, GeocodeOutcome>> {
    if (this.settings === null) throw new Error('made without settings: it cannot ask');
    return askFor(client, addresses, askedBy, this.settings);
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
