import { type QueueOptions } from 'bullmq';
import { type Config } from '@donorlens/config';

/**
 * Has each job's span belong to the trace of whoever added it: the request that sent the batch, where its chunks fit
 * into the queue at once, else the aggregator's. Nothing is loaded where nobody traces.
 */
export async function jobTelemetry(config: Pick<Config, 'otlpEndpoint'>): Promise<Pick<QueueOptions, 'telemetry'>> {
  if (config.otlpEndpoint === undefined) return {};
  const { BullMQOtel } = await import('bullmq-otel');
  return { telemetry: new BullMQOtel({ tracerName: 'donorlens' }) };
}
