import { Injectable } from '@nestjs/common';
import { type Registry } from 'prom-client';
import { METRICS, type ServiceMetricName } from '@donorlens/observability';
import { OperationsWatch } from '../status/operations-watch';
import { SampledMetric, type Samples, one } from './sampled-metric';
import { samplesOf } from './samples-of';

/**
 * What is true of the whole service, as the operators' page shows it. Every api exposes the same, so rules take the max
 * of each series, never a sum. Where nothing new can be read all that is left is `donorlens_database_up`: an old number
 * would be taken for a new one.
 */
@Injectable()
export class ServiceMetrics {
  constructor(private readonly watch: OperationsWatch) {}

  /** Registers the metrics; they are read at each scrape, once for all of them. */
  register(registry: Registry): void {
    for (const name of SERVICE_METRICS)
      registry.registerMetric(new SampledMetric(name, METRICS[name], async () => (await this.read())[name] ?? []));
  }

  private async read(): Promise<Samples> {
    const { status, trouble } = await this.watch.look();
    if (trouble) return { donorlens_database_up: one(Number(trouble.kind === 'slow')) };
    return status ? samplesOf(status) : {};
  }
}

const SERVICE_METRICS = (Object.keys(METRICS) as (keyof typeof METRICS)[]).filter(
  (name): name is ServiceMetricName => METRICS[name].source === 'service',
);
