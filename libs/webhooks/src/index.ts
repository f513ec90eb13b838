export { type SendErrorCode } from './post';
export { DeliveryRepository, type WebhookStatus } from './delivery.repository';
export { WebhookUrlError, checkWebhookUrl } from './webhook-url';
export { WebhookDeliveries } from './webhook-deliveries';
export { WebhooksModule } from './webhooks.module';
export { addressSecretOf, webhookSecret } from './message';
