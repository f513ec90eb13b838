import { type Config } from '@donorlens/config';
import { type Schedule, dailyAt, hourly, monthly } from './ticks';

/** Kinds of runs, as they are written down. */
export const RUNS = {
  referenceData: 'refresh-reference-data',
  fec: 'import-fec',
  filings: 'import-filings',
  sensitivity: 'donor-key-sensitivity',
} as const;

/** Every hour for as long as only the sample is there; null: only by hand. */
export function referenceSchedule(
  { referenceRefresh, dataSource }: Pick<Config, 'referenceRefresh' | 'dataSource'>,
  activeLabel: string | null,
): Schedule | null {
  if (referenceRefresh === 'off') return null;
  return activeLabel === 'sample' && dataSource === undefined ? hourly : monthly;
}

/** Every hour for as long as nothing real is there; null: only by hand. Without cycles to be kept it runs for nothing. */
export function fecSchedule({ fecImportAt }: Pick<Config, 'fecImportAt'>, hasRealData: boolean): Schedule | null {
  if (fecImportAt === null) return null;
  return hasRealData ? dailyAt(fecImportAt) : hourly;
}

export const filingsSchedule = ({ fecFilings }: Pick<Config, 'fecFilings'>): Schedule | null =>
  fecFilings === 'hourly' ? hourly : null;
