import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { type Pool } from 'pg';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { CallRepository } from './calls/call.repository';
import { CensusGeocoder } from './census/census-geocoder';
import { GEOCODER } from './geocoder';

/** The geocoder, and the calls to it in Postgres. Needs DatabaseModule and CONFIG. */
@Module({
  providers: [
    {
      provide: GEOCODER,
      useFactory: ({ geocoder }: Config) => new CensusGeocoder(geocoder),
      inject: [CONFIG],
    },
    {
      provide: CallRepository,
      useFactory: (pool: Pool, { geocoder }: Config) => new CallRepository(pool, geocoder),
      inject: [PG_POOL, CONFIG],
    },
  ],
  exports: [GEOCODER, CallRepository],
})
export class GeocodingModule implements OnApplicationShutdown {
  constructor(@Inject(GEOCODER) private readonly geocoder: CensusGeocoder) {}

  /** After the workers have released their calls. */
  onApplicationShutdown(): Promise<void> {
    return this.geocoder.close();
  }
}
