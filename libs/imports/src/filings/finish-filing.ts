import { type PoolClient } from 'pg';
import { type ContributionStore } from '@donorlens/campaign-finance';
import { type FilingRepository, type StoredFiling } from '@donorlens/filings';
import { type StoredImport } from '../engine/stored-import';
import { noteImported } from '../reenrich/cycle-enrichment';
import { type CheckedFiling } from './checked-filing';
import { type FilingReport, type StoredFacts } from './filing-report';

export type FinishedFiling = StoredFacts & Pick<FilingReport, 'outcome' | 'stored'>;

/**
 * The last transaction of a filing, whose rows are all stored by now: the last one of its report comes into force, and
 * the rows of the others go, all at once.
 * @param larger one of the others that has more rows
 */
export async function finishFiling(
  client: PoolClient,
  { filings, store }: { readonly filings: FilingRepository; readonly store: ContributionStore },
  stored: StoredImport,
  { filing, summary }: CheckedFiling,
  larger?: StoredFiling,
): Promise<FinishedFiling> {
  const { fileNum, amends } = filing;
  const { original, earlier, later } = await filings.chainOf(client, filing);
  const counts = await countsOf(client, stored, fileNum);
  await noteImported(client, await cyclesOf(client, fileNum));
  const inForce = later.at(-1);
  const replaced = inForce ? [] : earlier.filter((other) => other.state === 'current').map((other) => other.fileNum);
  for (const gone of inForce ? [fileNum] : replaced) await store.removeFiling(client, gone);
  await filings.supersede(client, replaced);
  const state = inForce ? 'superseded' : 'current';
  await filings.finish(client, stored.id, filing, { original, state, reconciliation: summary.reconciliation });
  const amendedInProcessed = await store.removeAmendedRows(client, fileNum);
  const replacedByProcessed = await store.removeReplacedRows(client, fileNum);
  const isKnown = earlier.length + later.length + amendedInProcessed > 0;
  return {
    outcome: inForce ? 'superseded' : 'imported',
    importId: stored.id,
    ...(amends !== null && { amends: { fileNumber: amends, isKnown } }),
    ...(larger && { replacedLarger: { fileNumber: larger.fileNum, kept: larger.kept } }),
    ...(inForce && { supersededBy: inForce.fileNum }),
    supersedes: replaced,
    ...counts,
    replacedByProcessed,
    amendedInProcessed,
    stored: await storedRows(client, fileNum),
  };
}

/** Before anything is removed. Rejects of workers have line numbers below 1. */
async function countsOf(
  client: PoolClient,
  { id, kept }: StoredImport,
  fileNum: string,
): Promise<Pick<StoredFacts, 'kept' | 'rejected' | 'duplicates'>> {
  const { rows } = await client.query<{ code: string; rows: number; byWorkers: number }>(
    `select code, count(*)::int as rows, count(*) filter (where line < 1)::int as "byWorkers"
     from fec_reject where import_id = $1 group by code order by code`,
    [id],
  );
  const byWorkers = rows.reduce((sum, code) => sum + code.byWorkers, 0);
  return {
    kept,
    rejected: Object.fromEntries(rows.map((code) => [code.code, code.rows])),
    duplicates: kept - byWorkers - (await storedRows(client, fileNum)),
  };
}

async function cyclesOf(client: PoolClient, fileNum: string): Promise<number[]> {
  const { rows } = await client.query<{ cycle: number }>(
    'select distinct cycle from contribution where file_num = $1 and row_id < 0',
    [fileNum],
  );
  return rows.map(({ cycle }) => cycle);
}

export async function storedRows(client: Pick<PoolClient, 'query'>, fileNum: string): Promise<number> {
  const { rows } = await client.query<{ rows: number }>(
    'select count(*)::int as rows from contribution where file_num = $1 and row_id < 0',
    [fileNum],
  );
  return rows[0].rows;
}
