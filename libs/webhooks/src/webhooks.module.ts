import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '@donorlens/config';
import { LOGGER, type Logger } from '@donorlens/observability';
import { DeliveryRepository } from './delivery.repository';
import { WebhookDeliveries } from './webhook-deliveries';
import { addressSecretOf } from './message';

/** Needs DatabaseModule, ObservabilityModule and CONFIG with an addressSecret. */
@Module({
  providers: [
    DeliveryRepository,
    {
      provide: WebhookDeliveries,
      useFactory: (deliveries: DeliveryRepository, config: Config, logger: Logger) =>
        new WebhookDeliveries(deliveries, logger, {
          addressSecret: addressSecretOf(config),
          allowedHosts: config.webhookAllowedHosts,
        }),
      inject: [DeliveryRepository, CONFIG, LOGGER],
    },
  ],
  exports: [WebhookDeliveries],
})
export class WebhooksModule {}
