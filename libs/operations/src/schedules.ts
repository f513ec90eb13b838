import { type Config } from '@donorlens/config';

/** Kinds of recorded runs. */
export const RUNS = {
  referenceData: 'refresh-reference-data',
  fec: 'import-fec',
  filings: 'import-filings',
  sensitivity: 'donor-key-sensitivity',
} as const;

/** Hourly while only the sample is loaded and DATA_SOURCE is unset, otherwise monthly; null: only on request. */
export function referenceSchedule(
  { referenceRefresh, dataSource }: Pick<Config, 'referenceRefresh' | 'dataSource'>,
  activeLabel: string | null,
): Schedule | null {
  if (referenceRefresh === 'off') return null;
  return activeLabel === 'sample' && dataSource === undefined ? hourly : monthly;
}

/** Hourly until official data are loaded, then daily; null: only on request. The caller checks that cycles are known. */
export function fecSchedule({ fecImportAt }: Pick<Config, 'fecImportAt'>, hasRealData: boolean): Schedule | null {
  if (fecImportAt === null) return null;
  return hasRealData ? dailyAt(fecImportAt) : hourly;
}

export const filingsSchedule = ({ fecFilings }: Pick<Config, 'fecFilings'>): Schedule | null =>
  fecFilings === 'off' ? null : fecFilings === '15m' ? quarterHourly : hourly;

/** A schedule gives its newest time at or before a moment, in UTC. Times missed while no aggregator ran are one run. */
export type Schedule = (now: Date) => Date;

export const hourly: Schedule = (now) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), now.getUTCHours()));

const QUARTER_MS = 15 * 60_000;
export const quarterHourly: Schedule = (now) => new Date(Math.floor(now.getTime() / QUARTER_MS) * QUARTER_MS);

/** The fourth of the month, 06:00. */
export const monthly: Schedule = (now) => {
  const tick = (month: number): Date => new Date(Date.UTC(now.getUTCFullYear(), month, 4, 6));
  const ofThisMonth = tick(now.getUTCMonth());
  return ofThisMonth <= now ? ofThisMonth : tick(now.getUTCMonth() - 1);
};

/** Every day so many minutes after midnight. */
export const dailyAt =
  (minutes: number): Schedule =>
  (now) => {
    const tick = (day: number): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), day, 0, minutes));
    const today = tick(now.getUTCDate());
    return today <= now ? today : tick(now.getUTCDate() - 1);
  };

/** Longer than the interval of any schedule. */
const MAX_INTERVAL_MS = 32 * 86_400_000;

/** The first scheduled time after a moment. */
export function nextScheduledTime(schedule: Schedule, now: Date): Date {
  const last = schedule(now).getTime();
  let before = now.getTime();
  let after = before + MAX_INTERVAL_MS;
  // The scheduled time never decreases, so that a binary search finds the moment at which it changes.
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (schedule(new Date(middle)).getTime() === last) before = middle;
    else after = middle;
  }
  return new Date(after);
}

/** Name of the leader's lease. */
export const LEADER_LEASE = 'aggregator';
