import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { Registry } from 'prom-client';
import { ReconcilerRepository } from '@donorlens/batches';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { METRICS, type ServiceMetricName } from '@donorlens/observability';
import { SampledMetric, type Samples, one } from './sampled-metric';
import { readSamples } from './read-samples';

/** However many ask, and however often. */
const KEEP_MS = 5_000;
/** Of a database under load: reading may take a tenth of the time at most. */
const KEEP_TIMES = 10;
/** A scrape gives up after 10 s by default: before that it is told that the database is down. */
const ANSWER_MS = 4_000;
/** Comparing reads all chunks of batches at work. */
const COMPARE_MS = 60_000;
const DOWN: Samples = { donorlens_database_up: one(0) };

/**
 * What is true of the whole service, read from Postgres. Every api exposes the same, so rules take the max of each
 * series, never a sum. Where the database is away all that is left is `donorlens_database_up 0`: an old number would be
 * taken for a new one.
 */
@Injectable()
export class ServiceMetrics {
  private samples: Samples = DOWN;
  private goodUntil = 0;
  private reading: Promise<void> | undefined;
  private violations = 0;
  private comparedAt = -COMPARE_MS;

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(CONFIG) private readonly config: { readonly geocoder: Pick<Config['geocoder'], 'callsPerMinute'> },
  ) {}

  /** Registers the metrics; they are read at the first scrape. */
  register(registry: Registry): void {
    for (const name of SERVICE_METRICS)
      registry.registerMetric(new SampledMetric(name, METRICS[name], async () => (await this.read())[name] ?? []));
  }

  private async read(): Promise<Samples> {
    if (performance.now() < this.goodUntil) return this.samples;
    this.reading ??= this.ask().finally(() => (this.reading = undefined));
    const isLate = await Promise.race([
      this.reading.then(() => false),
      new Promise<boolean>((late) => setTimeout(late, ANSWER_MS, true).unref()),
    ]);
    return isLate ? DOWN : this.samples;
  }

  private async ask(): Promise<void> {
    const start = performance.now();
    this.samples = await this.all().catch(() => DOWN);
    const end = performance.now();
    this.goodUntil = end + Math.max(KEEP_MS, KEEP_TIMES * (end - start));
  }

  private async all(): Promise<Samples> {
    const samples = await readSamples(this.pool, this.config.geocoder);
    if (performance.now() - this.comparedAt >= COMPARE_MS) {
      this.violations = await new ReconcilerRepository(this.pool).violations();
      this.comparedAt = performance.now();
    }
    return { ...samples, donorlens_invariant_violations: one(this.violations) };
  }
}

const SERVICE_METRICS = (Object.keys(METRICS) as (keyof typeof METRICS)[]).filter(
  (name): name is ServiceMetricName => METRICS[name].source === 'service',
);
