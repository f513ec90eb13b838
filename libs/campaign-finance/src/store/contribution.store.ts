import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { copyIn } from '@donorlens/database';
import { type RequestedAddress, LocationRepository } from '@donorlens/locations';
import { type ImportSpec, type GeocodeOutcome, type OutcomeCounts, countedRows } from '@donorlens/primitives';
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
  UPDATE_REENRICHED,
  releaseNumber,
} from './contribution-staging.store';
import {
  type IncomeFinder,
  type AddressCounty,
  knownCounties,
  stagedIncomes,
  updateIncomes,
} from './county-income.store';

/** Outcome of a chunk. */
export interface StoreCounts {
  /** Rows that were inserted or updated; the other rows were already stored unchanged. */
  readonly written: number;
  /** Records that cannot be parsed; they are stored as rejects. */
  readonly rejected: number;
}

/** A chunk of rows to store. */
export interface StagedChunk {
  /** Lines of COPY text, columns as STAGING_COLUMNS. */
  readonly copy: Buffer;
  /** Distinct addresses of its rows; empty if the chunk does not belong to a filing. */
  readonly addresses: readonly RequestedAddress[];
  /** Outcomes of its lines. */
  readonly counts: OutcomeCounts;
}

/** Known geocoding outcomes and incomes for the addresses of a chunk. */
export interface KnownAddresses {
  /** Known outcomes by address key; the other addresses are requested. */
  readonly known: ReadonlyMap<string, GeocodeOutcome>;
  readonly incomeOf: IncomeFinder;
}

/**
 * Writes contributions for workers and imports; every method is part of its caller's transaction.
 *
 * A row is written only if it differs from the stored row, so a second run changes nothing. The transaction adds the
 * donors of the old and the new row to `donor_touched`: the next refresh of the charts counts only these donors again.
 */
@Injectable()
export class ContributionStore {
  constructor(private readonly locations: LocationRepository) {}

  /**
   * Creates the partition of a cycle if it does not exist. Safe for concurrent callers; it does not block readers and
   * writers of other partitions.
   */
  ensureCycle(client: PoolClient, cycle: number): Promise<void> {
    return addPartition(client, cycle);
  }

  /**
   * Stores a chunk. Rows of a bulk file are appended to the snapshot of its cycle. Of several rows of a filing with the
   * same key, the last one in the chunk is stored. Rows that are enriched again are only updated, never inserted, and
   * only if the stored record is unchanged. They also get the county income of the new data release.
   *
   * Addresses are written first: a worker that stores a geocoding result also locks the address before its rows.
   * @param releaseId - data release that enriched the rows; stored with each written row
   */
  async store(
    client: PoolClient,
    importSpec: ImportSpec,
    releaseId: string,
    chunk: StagedChunk,
    { known, incomeOf }: KnownAddresses,
  ): Promise<StoreCounts> {
    if (importSpec.kind === 'contributions') return append(client, importSpec, chunk);
    const { copy, addresses } = chunk;
    const unknown = addresses.filter(({ key }) => !known.has(key.toString('latin1')));
    if (unknown.length > 0) await this.locations.ask(client, unknown, null);
    const counts = await this.storeRows(client, importSpec, releaseId, { copy, incomeOf });
    if (addresses.length > 0) await updateIncomes(client, await knownCounties(client, addresses), incomeOf);
    return counts;
  }

  /**
   * Stores geocoding results: contributions from these addresses get the median income of their county, and the charts
   * count their donors again.
   * @param geocoded - all results; rows of an address without a county lose their income
   * @returns number of changed rows
   */
  storeLocations(client: PoolClient, geocoded: readonly AddressCounty[], incomeOf: IncomeFinder): Promise<number> {
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
        written: await count(client, 'contribution-reenriched', UPDATE_REENRICHED, release, incomes),
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
   * Removes rows of electronic filings that the bulk files now contain, unchanged or amended.
   * @returns rows removed
   * @param fileNum - only rows of this filing
   */
  removeReplacedRows(client: PoolClient, fileNum?: string): Promise<number> {
    return removeReplacedRows(client, fileNum);
  }

  /**
   * Removes rows of the bulk files that a current electronic filing amends; the next import of the file restores them.
   * @returns rows removed
   * @param fileNum - only rows that this filing amends
   */
  removeAmendedRows(client: PoolClient, fileNum?: string): Promise<number> {
    return removeAmendedRows(client, fileNum);
  }

  /**
   * Removes all rows of an electronic filing: it was amended, not completed, or is imported again.
   * @returns rows removed
   */
  removeFiling(client: PoolClient, fileNum: string): Promise<number> {
    return removeFiling(client, fileNum);
  }
}

/** Copies a chunk directly to the snapshot. A chunk with rejects is copied a second time, to staging, to store them. */
async function append(client: PoolClient, filed: ImportSpec, { copy, counts }: StagedChunk): Promise<StoreCounts> {
  const written = await new ContributionSnapshot(filed.fileCycle).append(client, copy);
  if (written === countedRows(counts)) return { written, rejected: 0 };
  await client.query(OPEN_STAGING);
  await copyIn(client, FILL_STAGING, copy);
  return { written, rejected: await count(client, 'contribution-rejects', STORE_REJECTS, filed.importId) };
}

const FILL_STAGING = `copy ${STAGING} (${STAGING_COLUMNS.join(', ')}) from stdin`;

/** A cycle with rows of several releases loses its entry; each of its rows stores the number of its own release. */
const NOTE_MIXED = `delete from cycle_enrichment
where release_no <> $1 and cycle in (select cycle from ${STAGING})`;

/** Runs a named statement, which Postgres plans once per connection. @returns the number of rows that it wrote */
async function count(client: PoolClient, name: string, text: string, ...values: (number | string)[]): Promise<number> {
  const { rows } = await client.query<{ rows: number }>({ name, text, values });
  return rows[0].rows;
}
