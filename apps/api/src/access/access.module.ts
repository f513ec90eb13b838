import { Module } from '@nestjs/common';
import { AccessKeysModule, KeyRing } from '@donorlens/access-keys';
import { CONFIG, type Config, ConfigError } from '@donorlens/config';
import { SessionController } from './session.controller';
import { Sessions } from './sessions';

/** Keys, and the sessions of browsers that entered one. */
@Module({
  imports: [AccessKeysModule],
  controllers: [SessionController],
  providers: [
    {
      provide: Sessions,
      inject: [CONFIG, KeyRing],
      useFactory: ({ addressSecret }: Config, ring: KeyRing) => {
        if (addressSecret === undefined) throw new ConfigError(['ADDRESS_SECRET must be set']);
        return new Sessions(addressSecret, ring);
      },
    },
  ],
  exports: [AccessKeysModule, Sessions],
})
export class AccessModule {}
