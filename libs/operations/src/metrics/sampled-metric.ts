import { Gauge } from 'prom-client';
import { type MetricSpec, type ServiceMetricName } from '@donorlens/observability';

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Samples of the metrics that have any. */
export type Samples = { readonly [name in ServiceMetricName]?: readonly Sample[] };

/**
 * A metric whose samples are read as a whole: what is not among them is not exposed. prom-client's own keep a series
 * for good once it was set, and their counters cannot be told a total.
 */
export class SampledMetric extends Gauge {
  constructor(
    name: string,
    private readonly spec: MetricSpec,
    private readonly samples: () => Promise<readonly Sample[]>,
  ) {
    super({ name, help: spec.help, labelNames: spec.labels, registers: [] });
  }

  override async get(): ReturnType<Gauge['get']> {
    const { type } = this.spec as unknown as { type: Awaited<ReturnType<Gauge['get']>>['type'] }; // its enum exists in types only
    const samples = await this.samples();
    const values = samples.map(({ labels, value }) => ({ labels: { ...labels }, value }));
    return { ...(await super.get()), type, values };
  }
}

/** The one sample of a metric without labels. */
export const one = (value: number): readonly Sample[] => [{ labels: {}, value }];

/** A sample for each value of a label, also where it is 0: a series that comes and goes cannot be compared with what it was. */
export const labelled = <V extends string>(
  label: string,
  values: readonly V[],
  valueOf: (value: V) => number,
): readonly Sample[] => values.map((value) => ({ labels: { [label]: value }, value: valueOf(value) }));

/** 0 where there is nothing to be old. */
export const secondsSince = (at: Date | null, now: Date): number =>
  at === null ? 0 : Math.max(0, (now.getTime() - at.getTime()) / 1000);
