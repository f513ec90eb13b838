import { type PoolClient } from 'pg';
import { SQL_RETENTION_START } from '@donorlens/database';
import { DomainError, type OutcomeCounts } from '@donorlens/primitives';
import { NO_ADDRESSES, rowsOf } from './batch';
import { SQL_OPEN } from './batch-state';
import { type ChunkAddresses, type ClaimedChunk } from './chunk';

/** The counts of a worker do not cover its chunk: its results must not be stored. */
export class CountMismatchError extends DomainError {
  readonly code = 'tally_mismatch';
}

const WITHOUT_ADDRESSES: ChunkAddresses = { addresses: NO_ADDRESSES, partial: 0 };

/**
 * Each row of a client's contributions has an address outcome, if only `skipped`; a store that returns none has stored
 * no address key. Other batches have no addresses.
 * @throws CountMismatchError if rows are left out or counted twice
 */
export function chunkAddresses(
  { type, importSpec }: ClaimedChunk['spec'],
  counts: OutcomeCounts,
  stored: ChunkAddresses | void,
): ChunkAddresses {
  if (type !== 'contributions' || importSpec) return WITHOUT_ADDRESSES;
  const rows = counts.ok + counts.partial + counts.not_found;
  const counted = stored ?? { addresses: { ...NO_ADDRESSES, skipped: rows }, partial: 0 };
  if (rowsOf(counted.addresses) !== rows || counted.partial > counts.ok)
    throw new CountMismatchError('the addresses of a chunk are not those of its rows', {
      rows,
      counted: rowsOf(counted.addresses),
    });
  return counted;
}

/**
 * Adds a chunk to the counters of its batch. The last chunk ends the batch, completed or cancelled, unless rows wait for
 * their address.
 *
 * Must be the last statement of the transaction: all chunks of a batch wait for this row's lock, so it is held for the
 * commit only. Until the batch ends, the commit does not wait for the disk (synchronous_commit = off). What a database
 * crash then loses, it loses as a whole: the chunk is not done, still has its input, and is processed again. The commit
 * that ends a batch waits for the disk, and everything before it is on disk then too.
 */
export async function countChunk(
  client: PoolClient,
  batchId: string,
  counts: OutcomeCounts,
  { addresses, partial }: ChunkAddresses,
): Promise<void> {
  await client.query({
    name: 'chunk-counted',
    text: COUNT,
    values: [
      batchId,
      counts.ok - partial,
      counts.partial + partial,
      counts.not_found,
      counts.invalid,
      counts.failed,
      addresses.match,
      addresses.noMatch,
      addresses.tie,
      addresses.skipped,
      addresses.pending,
    ],
  });
}

const IS_LAST = 'chunks_done + 1 >= chunks_total';
const WAITS = `(state in ${SQL_OPEN} and pending_rows + $11 > 0)`;
const ENDS = `${IS_LAST} and not ${WAITS}`;

const COUNT = `
  update batch
  set chunks_done = chunks_done + 1,
      ok_rows = ok_rows + $2, partial_rows = partial_rows + $3, not_found_rows = not_found_rows + $4,
      invalid_rows = invalid_rows + $5, failed_rows = failed_rows + $6,
      match_rows = match_rows + $7, no_match_rows = no_match_rows + $8, tie_rows = tie_rows + $9,
      skipped_rows = skipped_rows + $10, pending_rows = pending_rows + $11,
      started_at = coalesce(started_at, now()),
      enriched_at = case when ${IS_LAST} then now() else enriched_at end,
      state = case when not (${ENDS}) then case state when 'accepted' then 'running' else state end
                   when state = 'cancelling' then 'cancelled'
                   when state in ${SQL_OPEN} then 'completed'
                   else state end,
      finished_at = case when ${ENDS} then now() else finished_at end,
      expires_at = case when ${ENDS} then ${SQL_RETENTION_START} + (expires_at - created_at) else expires_at end
  where id = $1
  returning set_config('synchronous_commit',
                       case when chunks_done < chunks_total or state in ${SQL_OPEN} then 'off' else 'on' end, true)`;
