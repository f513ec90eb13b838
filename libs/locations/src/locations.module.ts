import { Module, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '@donorlens/config';
import { StartChecks } from '@donorlens/database';
import { AddressKeys } from './address-keys';
import { claimSecret } from './address-secret.repository';
import { LocationRepository } from './location.repository';

const keys = { provide: AddressKeys, useFactory: (config: Config) => AddressKeys.fromConfig(config), inject: [CONFIG] };

/** Addresses: their keys, and what is known of them. Needs DatabaseModule and CONFIG with an addressSecret. */
@Module({ providers: [keys, LocationRepository], exports: [AddressKeys, LocationRepository] })
export class LocationsModule implements OnModuleInit {
  constructor(
    private readonly startChecks: StartChecks,
    private readonly addressKeys: AddressKeys,
  ) {}

  /** @throws AddressSecretError, which ends the start */
  async onModuleInit(): Promise<void> {
    await this.startChecks.run((database) => claimSecret(database, this.addressKeys));
  }
}
