import { Module } from '@nestjs/common';
import { type Pool } from 'pg';
import { CONFIG, type Config, ConfigError } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { LOGGER, type Logger } from '@donorlens/observability';
import { DeliveryRepository } from './delivery.repository';
import { WebhookDeliveries } from './webhook-deliveries';

/** Needs DatabaseModule, ObservabilityModule and CONFIG with an addressSecret. */
@Module({
  providers: [
    {
      provide: WebhookDeliveries,
      useFactory: (pool: Pool, config: Config, logger: Logger) =>
        new WebhookDeliveries(new DeliveryRepository(pool), logger, {
          addressSecret: secretOf(config),
          allowedHosts: config.webhookAllowedHosts,
        }),
      inject: [PG_POOL, CONFIG, LOGGER],
    },
  ],
  exports: [WebhookDeliveries],
})
export class WebhooksModule {}

/** @throws ConfigError */
function secretOf({ addressSecret }: Config): string {
  if (addressSecret !== undefined) return addressSecret;
  throw new ConfigError(['ADDRESS_SECRET is needed to sign messages: the same text for every process']);
}
