import { type PoolClient } from 'pg';
import { type ContributionStore } from '@donorlens/campaign-finance';
import { type FilingRepository } from '@donorlens/filings';
import { type CheckedFiling } from './checked-filing';
import { type FilingReport } from './filing-report';

export type FinishedFiling = Pick<
  FilingReport,
  'outcome' | 'amends' | 'supersedes' | 'kept' | 'rejected' | 'duplicates' | 'stored' | 'replacedByProcessed'
>;

/**
 * The last transaction of a filing, whose rows are all stored by now: the last one of its report comes into force, and
 * the rows of the others go, all at once.
 */
export async function finishFiling(
  client: PoolClient,
  { filings, store }: { readonly filings: FilingRepository; readonly store: ContributionStore },
  importId: string,
  { filing, sha256, summary }: CheckedFiling,
): Promise<FinishedFiling> {
  const { original, earlier, later } = await filings.chainOf(client, filing);
  const counted = await countsOf(client, importId, filing.fileNum);
  const state = later.length > 0 ? 'superseded' : 'current';
  // Under a stand-in number until its own was known: the same filing.
  const nameless = (await filings.withBytes(client, filing.committeeId, sha256)).filter(
    (same) => same.fileNum.startsWith('-') && same.fileNum !== filing.fileNum,
  );
  const replaced = [...earlier, ...nameless].filter((other) => other.state === 'current').map(({ fileNum }) => fileNum);
  const removed = state === 'current' ? replaced : [filing.fileNum];
  for (const fileNum of removed) await store.removeFiling(client, fileNum);
  if (state === 'current') await filings.supersede(client, replaced);
  await filings.finish(client, importId, filing, { original, state, reconciliation: summary.reconciliation });
  const replacedByProcessed = await store.removeReplacedRows(client);
  const stored = await storedRows(client, filing.fileNum);
  return {
    outcome: state === 'current' ? 'imported' : 'superseded',
    ...(filing.amends !== null && {
      amends: { fileNum: filing.amends, isKnown: earlier.length + later.length > 0 },
    }),
    supersedes: state === 'current' ? replaced : [],
    ...counted,
    stored,
    replacedByProcessed,
  };
}

async function countsOf(
  client: PoolClient,
  importId: string,
  fileNum: string,
): Promise<{ kept: number; rejected: Record<string, number>; duplicates: number }> {
  const { rows: codes } = await client.query<{ code: string; rows: number; byWorkers: number }>(
    `select code, count(*)::int as rows, count(*) filter (where line <= 0)::int as "byWorkers"
     from fec_reject where import_id = $1 group by code order by code`,
    [importId],
  );
  const { rows: imports } = await client.query<{ kept: number }>(
    'select rows_kept::int as kept from fec_import where id = $1',
    [importId],
  );
  const byWorkers = codes.reduce((sum, code) => sum + code.byWorkers, 0);
  const { kept } = imports[0];
  return {
    kept,
    rejected: Object.fromEntries(codes.map(({ code, rows }) => [code, rows])),
    duplicates: kept - byWorkers - (await storedRows(client, fileNum)),
  };
}

export async function storedRows(client: Pick<PoolClient, 'query'>, fileNum: string): Promise<number> {
  const { rows } = await client.query<{ rows: number }>(
    'select count(*)::int as rows from contribution where file_num = $1 and row_id < 0',
    [fileNum],
  );
  return rows[0].rows;
}
