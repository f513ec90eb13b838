import { type Pool, type PoolClient } from 'pg';
import { DONOR_KEY_VERSION } from '@donorlens/campaign-finance';
import { type Demographics } from '@donorlens/demographics';
import { type Fence, holdLease, inTransaction } from '@donorlens/database';
import { CHARTS_FORM, ChartsBusyError, type ChartsReport } from '../charts-version';
import { estimateAges } from './estimate-ages';
import { lacksSensitivity, measureSensitivity } from './key-sensitivity.repository';
import { incrementSteps, resetSteps } from './refresh-steps';
import { type CurrentCharts, RefreshRepository, vacuumTouched } from './refresh.repository';

export interface RefreshChartsOptions {
  /** the lease of the caller; a refresh by a former holder fails and changes nothing */
  readonly fence?: Fence;
  /** folds all contributions again, not only those of touched donors */
  readonly reset?: boolean;
  /** tables for age estimates; without them, or before a data release is active, no ages are estimated */
  readonly demographics?: () => Promise<Demographics | null>;
  /** maximum wait for another refresh, 5 minutes by default */
  readonly waitMs?: number;
  /** receives failures of the work after the commit, which do not fail the refresh */
  readonly onWarning?: (message: string, error: unknown) => void;
}

const WAIT_MS = 300_000;
/** A worker may store rows whose copies are being marked. In a deadlock Postgres may abort the refresh; it retries. */
const MAX_ATTEMPTS = 3;

/**
 * Folds the changes since the last refresh into the charts, or all contributions on reset, for another CHARTS_FORM, or if
 * at least 100,000 donors and more than a fifth of the stored ones were touched. In one transaction, it writes a new
 * version beside the current one and moves the pointer. A crash before the commit changes nothing. May be called at any
 * time, also while rows are stored.
 * @throws StaleFenceError, ChartsBusyError; nothing has changed in either case
 */
export async function refreshCharts(pool: Pool, options: RefreshChartsOptions = {}): Promise<ChartsReport> {
  const { fence } = options;
  if (fence) await inTransaction(pool, (client) => holdLease(client, fence)); // checked again at the end of the work
  const report = await foldWithRetry(pool, options);
  await workAfterCommit(pool, report, options);
  return report;
}

/** The charts are stored, so an error does not fail the refresh: its caller would build the same charts again. */
async function workAfterCommit(
  pool: Pool,
  { versionId }: ChartsReport,
  { onWarning }: RefreshChartsOptions,
): Promise<void> {
  try {
    await vacuumTouched(pool);
  } catch (error) {
    onWarning?.('donor_touched was not vacuumed; the next refresh of the charts tries again', error);
  }
  try {
    if (versionId !== null && (await lacksSensitivity(pool, versionId))) await measureSensitivity(pool, versionId);
  } catch (error) {
    onWarning?.('key sensitivity was not measured; the next refresh or daily measurement tries again', error);
  }
}

async function foldWithRetry(pool: Pool, options: RefreshChartsOptions): Promise<ChartsReport> {
  const { waitMs = WAIT_MS } = options;
  for (let attempt = 1; ; attempt++)
    try {
      return await inTransaction(pool, (client) => fold(client, options, waitMs), { statementTimeoutMs: 0 });
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (code === '40P01' && attempt < MAX_ATTEMPTS) continue; // deadlock_detected
      throw error;
    }
}

async function fold(client: PoolClient, options: RefreshChartsOptions, waitMs: number): Promise<ChartsReport> {
  const { fence, reset, demographics } = options;
  const repository = new RefreshRepository(client);
  await lockOrThrow(repository, waitMs);
  await repository.prepare();
  const current = await repository.current();
  const isWhole = reset === true || current?.detail.form !== CHARTS_FORM || (await repository.shouldRebuild());
  const report =
    isWhole || current === null ? await foldAll(repository, current) : await foldTouched(repository, current);
  if (report.outcome === 'built' && demographics) await estimateAges(client, demographics);
  // Locks the lease's row until the transaction ends. An earlier lock would keep the holder from renewing the lease.
  if (fence) await holdLease(client, fence);
  return report;
}

async function lockOrThrow(repository: RefreshRepository, waitMs: number): Promise<void> {
  try {
    await repository.lock(waitMs);
  } catch (error) {
    throw (error as { code?: unknown }).code === '55P03' ? new ChartsBusyError(waitMs) : error; // lock_not_available
  }
}

async function foldAll(repository: RefreshRepository, current: CurrentCharts | null): Promise<ChartsReport> {
  const masters = await repository.masters();
  const steps = resetSteps(await repository.cycles());
  await repository.run(steps.fold);
  const { series, donors, changed } = await repository.changesOfAll();
  const isEmpty = current === null && masters === null && series === 0; // masters alone create an empty version
  if (isEmpty) return { versionId: null, outcome: 'unchanged', series, donors, changed };
  const detail = {
    ...current?.detail,
    form: CHARTS_FORM,
    donorKeyVersion: DONOR_KEY_VERSION,
    masters,
    changedDonors: changed,
  };
  const versionId = await repository.beginVersion(series, detail, current?.versionId ?? null);
  await repository.run(steps.publish);
  await repository.movePointer(versionId);
  return { versionId, outcome: 'built', series, donors, changed };
}

async function foldTouched(repository: RefreshRepository, current: CurrentCharts): Promise<ChartsReport> {
  const masters = await repository.masters();
  const linksAreOld = masters !== current.detail.masters;
  const steps = incrementSteps(linksAreOld);
  await repository.run(steps.fold);
  const { isChanged, ...counts } = await repository.changesOfTouched(current.versionId);
  if (!isChanged) {
    if (linksAreOld) await repository.storeMasters(current.versionId, masters);
    return { versionId: current.versionId, outcome: 'unchanged', ...counts };
  }
  const detail = {
    ...current.detail,
    donorKeyVersion: DONOR_KEY_VERSION,
    masters,
    changedDonors: counts.changed,
  };
  const versionId = await repository.beginVersion(counts.series, detail, current.versionId);
  await repository.run(steps.publish);
  await repository.movePointer(versionId);
  return { versionId, outcome: 'built', ...counts };
}
