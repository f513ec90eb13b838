export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary';

/**
 * Who exposes a metric: a process of one role for itself, every process, or each api for the whole service. The last are
 * the same in all of them, whoever is asked: rules take their max.
 */
export type MetricSource = 'api' | 'worker' | 'every process' | 'service';

export interface MetricSpec {
  readonly type: MetricType;
  readonly labels: readonly string[];
  readonly source: MetricSource;
  readonly help: string;
}
