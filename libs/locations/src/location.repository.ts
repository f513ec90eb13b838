import { Inject, Injectable } from '@nestjs/common';
import { type Pool, type PoolClient } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { type GeocodeOutcome, type Location } from '@donorlens/primitives';
import { type AskedAddress } from './asked-address';

@Injectable()
export class LocationRepository {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  find(_keys: readonly Buffer[]): Promise<Map<string, Location>> {
    return Promise.reject(new Error(`not built yet ${this.pool.totalCount}`));
  }

  outcomes(_keys: readonly Buffer[]): Promise<Map<string, GeocodeOutcome>> {
    return Promise.reject(new Error('not built yet'));
  }

  ask(
    _client: PoolClient,
    _addresses: readonly AskedAddress[],
    _askedBy: string | null,
  ): Promise<Map<string, GeocodeOutcome>> {
    return Promise.reject(new Error('not built yet'));
  }
}
