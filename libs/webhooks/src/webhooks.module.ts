import { Module } from '@nestjs/common';
import { type Pool } from 'pg';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { LOGGER, type Logger } from '@donorlens/observability';
import { DeliveryRepository } from './delivery.repository';
import { WebhookDeliveries } from './webhook-deliveries';
import { addressSecretOf } from './message';

/** Needs DatabaseModule, ObservabilityModule and CONFIG with an addressSecret. */
@Module({
  providers: [
    {
      provide: WebhookDeliveries,
      useFactory: (pool: Pool, config: Config, logger: Logger) =>
        new WebhookDeliveries(new DeliveryRepository(pool), logger, {
          addressSecret: addressSecretOf(config),
          allowedHosts: config.webhookAllowedHosts,
        }),
      inject: [PG_POOL, CONFIG, LOGGER],
    },
  ],
  exports: [WebhookDeliveries],
})
export class WebhooksModule {}
