import { Module } from '@nestjs/common';
import { AccessKeysModule, KeyRing } from '@donorlens/access-keys';
import { CONFIG, type Config, ConfigError } from '@donorlens/config';
import { RateLimiter } from './rate-limiter';
import { Sessions } from './sessions';
import { KeyAuthenticator } from './wrong-keys';

/** API keys, their rate limits, and sessions of browsers. */
@Module({
  imports: [AccessKeysModule],
  providers: [
    RateLimiter,
    KeyAuthenticator,
    {
      provide: Sessions,
      inject: [CONFIG, KeyRing],
      useFactory: ({ addressSecret }: Config, ring: KeyRing) => {
        if (addressSecret === undefined) throw new ConfigError(['ADDRESS_SECRET must be set']);
        return new Sessions(addressSecret, ring);
      },
    },
  ],
  exports: [AccessKeysModule, RateLimiter, KeyAuthenticator, Sessions],
})
export class AccessModule {}
