import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { copyIn } from '@donorlens/database';
import { type RequestedAddress, LocationRepository } from '@donorlens/locations';
import { type ImportSpec, type GeocodeOutcome, type OutcomeCounts, countedRows } from '@donorlens/primitives';
import { MAX_DAYS_APART } from '../counting';
import { addPartition } from './contribution-partition.store';
import { removeAmendedRows, removeFiling, removeReplacedRows } from './contribution-removal.store';
import { ContributionSnapshot } from './contribution-snapshot.store';
import {
  OPEN_STAGING,
  STAGING,
  STAGING_COLUMNS,
  STORE_CHANGED,
  STORE_NEW,
  STORE_REJECTS,
  UPSERT_REENRICHED,
  releaseNumber,
} from './contribution-staging.store';
import {
  type IncomeFinder,
  type GeocodedAddress,
  knownCounties,
  stagedIncomes,
  updateIncomes,
} from './county-income.store';

/** What became of a chunk's rows. */
export interface StoreCounts {
  /** Rows that are new or were rewritten; the others were there as they are. */
  readonly written: number;
  /** Records that cannot be cut, kept as rejects. */
  readonly rejected: number;
}

/** A chunk of rows that is to be stored. */
export interface StagedChunk {
  /** Lines of COPY text, columns as STAGING_COLUMNS. */
  readonly copy: Buffer;
  /** Distinct addresses of its rows; empty unless the chunk is of a filing. */
  readonly addresses: readonly RequestedAddress[];
  /** Counts its lines. */
  readonly counts: OutcomeCounts;
}

/** What is known of the addresses of a chunk. */
export interface KnownAddresses {
  /** Known outcomes by address key; the other addresses are requested. */
  readonly known: ReadonlyMap<string, GeocodeOutcome>;
  readonly incomeOf: IncomeFinder;
}

/**
 * Writes contributions of workers and imports. Every method is part of its caller's transaction.
 *
 * A row is written only if it differs from the stored one, so a second run changes nothing. The donors of the old and
 * the new row are added to `donor_touched`: the charts count only these donors again.
 */
@Injectable()
export class ContributionStore {
  constructor(private readonly locations: LocationRepository) {}

  /**
   * Creates the partition of a cycle if it does not exist. Two processes may do it at once; other cycles stay readable
   * and writable.
   */
  ensureCycle(client: PoolClient, cycle: number): Promise<void> {
    return addPartition(client, cycle);
  }

  /**
   * Stores a chunk. Rows of a bulk file are appended to the snapshot of its cycle. Of several rows of a filing with the
   * same row id, the last one of the chunk is stored. Rows that are enriched again are updated, never added, and only
   * if the stored record has not changed; they also get the release's income of the county of their address.
   *
   * Addresses are written first: a worker that stores a geocoding result also locks the address before its rows.
   * @param releaseId - data release of the values, stored with written rows
   */
  async store(
    client: PoolClient,
    filed: ImportSpec,
    releaseId: string,
    chunk: StagedChunk,
    { known, incomeOf }: KnownAddresses,
  ): Promise<StoreCounts> {
    if (filed.kind === 'contributions') return append(client, filed, chunk);
    const { copy, addresses } = chunk;
    const unknown = addresses.filter(({ key }) => !known.has(key.toString('latin1')));
    if (unknown.length > 0) await this.locations.ask(client, unknown, null);
    const counts = await this.storeRows(client, filed, releaseId, { copy, incomeOf });
    if (addresses.length > 0) await updateIncomes(client, await knownCounties(client, addresses), incomeOf);
    return counts;
  }

  /**
   * Stores geocoding results: contributions from these addresses get the median income of their county, and the charts
   * count their donors again.
   * @param geocoded all of them, also those without a county: their rows have no income any more
   * @returns rows that changed
   */
  locate(client: PoolClient, geocoded: readonly GeocodedAddress[], incomeOf: IncomeFinder): Promise<number> {
    return updateIncomes(client, geocoded, incomeOf);
  }

  private async storeRows(
    client: PoolClient,
    filed: ImportSpec,
    releaseId: string,
    { copy, incomeOf }: Pick<StagedChunk, 'copy'> & Pick<KnownAddresses, 'incomeOf'>,
  ): Promise<StoreCounts> {
    await client.query(OPEN_STAGING);
    const staged = await copyIn(client, FILL_STAGING, copy);
    const release = await releaseNumber(client, releaseId);
    await client.query({ name: 'contribution-mixed', text: NOTE_MIXED, values: [release] });
    if (filed.kind === 'reenrich') {
      const incomes = JSON.stringify(await stagedIncomes(client, incomeOf));
      return {
        written: await count(client, 'contribution-reenriched', UPSERT_REENRICHED, release, incomes),
        rejected: 0,
      };
    }
    const added = await count(client, 'contribution-new', STORE_NEW, release);
    if (added === staged) return { written: added, rejected: 0 };
    return {
      written: added + (await count(client, 'contribution-changed', STORE_CHANGED, release)),
      rejected: await count(client, 'contribution-rejects', STORE_REJECTS, filed.importId),
    };
  }

  /**
   * Removes rows of electronic filings that the bulk files have now, unchanged or amended. @returns rows removed
   * @param fileNum - only of this filing
   */
  removeReplacedRows(client: PoolClient, fileNum?: string): Promise<number> {
    return removeReplacedRows(client, fileNum);
  }

  /**
   * Rows of the bulk files that an electronic filing in force amends; the next import of the file brings them back.
   * @returns rows removed
   * @param fileNum by this filing only
   */
  removeAmendedRows(client: PoolClient, fileNum?: string): Promise<number> {
    return removeAmendedRows(client, fileNum);
  }

  /** All rows of an electronic filing: one that was amended. @returns rows removed */
  removeFiling(client: PoolClient, fileNum: string): Promise<number> {
    return removeFiling(client, fileNum);
  }
}

/** Rejects need a second pass. A chunk without rejects is copied directly to its table. */
async function append(client: PoolClient, filed: ImportSpec, { copy, counts }: StagedChunk): Promise<StoreCounts> {
  const written = await new ContributionSnapshot(filed.fileCycle).append(client, copy);
  if (written === countedRows(counts)) return { written, rejected: 0 };
  await client.query(OPEN_STAGING);
  await copyIn(client, FILL_STAGING, copy);
  return { written, rejected: await count(client, 'contribution-rejects', STORE_REJECTS, filed.importId) };
}

const FILL_STAGING = `copy ${STAGING} (${STAGING_COLUMNS.join(', ')}) from stdin`;

/** A cycle with rows of different releases has no release of its own; each row records its release. */
const NOTE_MIXED = `delete from cycle_enrichment
where release_no <> $1 and cycle in (select cycle from ${STAGING})`;

/** Number of rows that a statement wrote; it is planned once per connection. */
async function count(client: PoolClient, name: string, text: string, ...values: (number | string)[]): Promise<number> {
  const { rows } = await client.query<{ rows: number }>({ name, text, values });
  return rows[0].rows;
}

const inOrder = (column: string, earmark: 1 | 2): string =>
  `array_agg(c.${column} order by c.received_on, c.row_id) filter (where c.earmark = ${earmark})`;

/**
 * Matches each row of a conduit with one gift that the recipient committee reports (`isCopyOf` of the counting rules).
 * Rows of one committee, donor and amount are processed in the order of their days; the earlier of two that are too far
 * apart has no match. This gives the maximum number of matches. One aggregate collects gifts and copies: with a join,
 * the planner estimated one row and compared each row with each.
 * @param rows - contributions as `c`, with all rows of their donors: what follows FROM, perhaps with WHERE
 * @returns queries for WITH RECURSIVE; `conduit_match` has cycle and row_id of the conduits' rows that match
 */
export const conduitMatches = (rows: string): string => `conduit_same as (
  select ${inOrder('received_on', 1)} as gifts, ${inOrder('received_on', 2)} as copies,
    ${inOrder('cycle', 2)} as cycles, ${inOrder('row_id', 2)} as row_ids
  from (select c.* from ${rows}) c
  where (c.earmark = 1 or c.earmark = 2) and c.counts_money and c.donor_key <> 0 and c.received_on is not null
  group by c.committee_id, c.donor_key, c.money_cents
), conduit_walk as (
  select gifts, copies, cycles, row_ids, 1 as gift_at, 1 as copy_at, null::int as matched
  from conduit_same where gifts is not null and row_ids is not null
  union all
  select gifts, copies, cycles, row_ids,
    gift_at + (gifts[gift_at] <= copies[copy_at] + ${MAX_DAYS_APART})::int,
    copy_at + (copies[copy_at] <= gifts[gift_at] + ${MAX_DAYS_APART})::int,
    case when abs(gifts[gift_at] - copies[copy_at]) <= ${MAX_DAYS_APART} then copy_at end
  from conduit_walk where gift_at <= cardinality(gifts) and copy_at <= cardinality(copies)
), conduit_match as (
  select cycles[matched] as cycle, row_ids[matched] as row_id from conduit_walk where matched is not null
)`;
