import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { type Pool } from 'pg';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { AddressKeys } from './address-keys';
import { claimSecret } from './address-secret.repository';
import { LocationRepository } from './location.repository';

const keys = { provide: AddressKeys, useFactory: (config: Config) => AddressKeys.of(config), inject: [CONFIG] };

/** Addresses: their keys, and what is known of them. Needs DatabaseModule and CONFIG with an addressSecret. */
@Module({ providers: [keys, LocationRepository], exports: [AddressKeys, LocationRepository] })
export class LocationsModule implements OnModuleInit {
  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly addressKeys: AddressKeys,
  ) {}

  /** @throws AddressSecretError, which ends the start */
  async onModuleInit(): Promise<void> {
    await claimSecret(this.pool, this.addressKeys);
  }
}
