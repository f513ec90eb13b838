import { type PoolClient } from 'pg';
import { type Tally } from '@donorlens/primitives';
import { type AddressTally, NO_ADDRESSES, rowsOf } from './address-tally';
import { SQL_OPEN } from './batch-state';
import { type ClaimedChunk } from './claimed-chunk';
import { TallyMismatchError } from './tally-mismatch-error';

/** What became of the addresses of a chunk. */
export interface Placed {
  readonly addresses: AddressTally;
  /** Rows that would be ok and are partial, for their address leads to no single place. */
  readonly partial: number;
}

const NOWHERE: Placed = { addresses: NO_ADDRESSES, partial: 0 };

/**
 * Rows of a client's contributions each have an address, if only a skipped one; a store that says nothing of them has
 * stored no key to one. Other batches know no addresses.
 * @throws TallyMismatchError where rows are left out or counted twice
 */
export function placedRows({ type, filed }: ClaimedChunk['spec'], tally: Tally, stored: Placed | void): Placed {
  if (type !== 'contributions' || filed) return NOWHERE;
  const rows = tally.ok + tally.partial + tally.not_found;
  const placed = stored ?? { addresses: { ...NO_ADDRESSES, skipped: rows }, partial: 0 };
  if (rowsOf(placed.addresses) !== rows || placed.partial > tally.ok)
    throw new TallyMismatchError('the addresses of a chunk are not those of its rows', {
      rows,
      tallied: rowsOf(placed.addresses),
    });
  return placed;
}

/**
 * Last in the transaction: all chunks of a batch queue up for this row, so it is locked for the commit only. Until the
 * batch ends the commit does not wait for the disk, which would make them queue up for the disk as well. What a crash
 * of the database takes back then, it takes back whole: the chunk is not done, still has its input, and is run again.
 * The commit that ends a batch waits, and with it everything before it is on disk: a batch that says completed stays so.
 */
export async function countChunk(
  client: PoolClient,
  batchId: string,
  tally: Tally,
  { addresses, partial }: Placed,
): Promise<void> {
  await client.query({
    name: 'chunk-counted',
    text: COUNT,
    values: [
      batchId,
      tally.ok - partial,
      tally.partial + partial,
      tally.not_found,
      tally.invalid,
      tally.failed,
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
      expires_at = case when ${ENDS} then now() + (expires_at - created_at) else expires_at end
  where id = $1
  returning set_config('synchronous_commit',
                       case when chunks_done < chunks_total or state in ${SQL_OPEN} then 'off' else 'on' end, true)`;
