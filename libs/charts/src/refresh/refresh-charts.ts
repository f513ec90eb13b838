import { type Pool } from 'pg';
import { type Fence } from '@donorlens/database';
import { type ChartsReport } from '../charts-version';

export interface RefreshChartsOptions {
  /** the lease under which the caller acts: a former holder changes nothing */
  readonly fence?: Fence;
  /** everything is made anew from the contributions, not only what was touched */
  readonly reset?: boolean;
  /** how long to wait for another refresh, five minutes where not given */
  readonly waitMs?: number;
}

/**
 * Folds what has changed since the last refresh into the charts, in one transaction: a new version beside the current one,
 * then the pointer moves. A crash before its end changes nothing. Safe to call at any time, also while rows are stored.
 * @throws StaleFenceError, ChartsBusyError; then nothing has changed
 */
export function refreshCharts(_pool: Pool, _options: RefreshChartsOptions = {}): Promise<ChartsReport> {
  return Promise.reject(new Error('not built'));
}
