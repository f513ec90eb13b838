import { Injectable } from '@nestjs/common';
import { MastersRepository } from '@donorlens/campaign-finance';
import { AGE_BASES, BREAKDOWNS, ChartReader, ChartsVersionGoneError, ChartVersionWatch } from '@donorlens/charts';
import { chartsVersion, lookAgain, type Published, published } from './published';
import {
  AGE_DISTRIBUTION,
  BREAKDOWN,
  CANDIDATE_SEARCH,
  COMMITTEE_SEARCH,
  CUMULATIVE_DONORS,
  type TableFile,
} from './table-files';
import { type TableQuery } from './table-query';
import { type TableRow } from './table-text';

type Lists = TableQuery['lists'];

/** Lines of a file, and the one state they are all of. */
export interface VersionedRows {
  readonly version: Published;
  /** may be read again */
  readonly rows: Iterable<TableRow>;
}

/** Versions follow each other by minutes; one that moves this often while we read is not going to stand still. */
const MOST_TRIES = 5;

/** Reads the lines of a file from the database, all of one version. */
@Injectable()
export class TableRows {
  private readonly readers: ReadonlyMap<TableFile, (lists: Lists, version: Published) => Promise<Iterable<TableRow>>>;

  constructor(
    charts: ChartReader,
    masters: MastersRepository,
    private readonly watch: ChartVersionWatch,
  ) {
    this.readers = new Map<TableFile, (lists: Lists, version: Published) => Promise<Iterable<TableRow>>>([
      [
        AGE_DISTRIBUTION,
        (lists, version) =>
          charts.ageDistribution(chartsVersion(version), {
            committeeIds: lists.committee_id,
            cycles: lists.cycle.map(Number),
            basis: AGE_BASES.find((basis) => basis === lists.basis[0]),
          }),
      ],
      [
        CUMULATIVE_DONORS,
        (lists, version) =>
          charts.cumulativeDonors(chartsVersion(version), {
            candidateIds: lists.candidate_id,
            cycles: lists.cycle.map(Number),
          }),
      ],
      [
        BREAKDOWN,
        (lists, version) =>
          charts.breakdown(chartsVersion(version), {
            candidateIds: lists.candidate_id,
            cycles: lists.cycle.map(Number),
            by: BREAKDOWNS.filter((by) => lists.by.includes(by)),
          }),
      ],
      [CANDIDATE_SEARCH, (lists) => masters.candidateSearch(searchOf(lists))],
      [COMMITTEE_SEARCH, (lists) => masters.committeeSearch(searchOf(lists))],
    ]);
  }

  /** @throws Problem 503 where nothing is published yet */
  async read(file: TableFile, lists: Lists): Promise<VersionedRows> {
    const reader = this.readers.get(file);
    if (reader === undefined) throw new Error(`nothing reads ${file.path}`);
    for (let left = MOST_TRIES; ; left--) {
      const version = published(this.watch, file.madeFrom);
      try {
        const rows = await reader(lists, version);
        if (file.madeFrom === 'charts') return { version, rows };
        await lookAgain(this.watch); // masters are replaced in place: unmoved since means that these are of the version
        if (published(this.watch, file.madeFrom).id === version.id || left === 0) return { version, rows };
      } catch (error) {
        if (!(error instanceof ChartsVersionGoneError) || left === 0) throw error;
        await lookAgain(this.watch);
      }
    }
  }
}

const searchOf = (lists: Lists): { nameParts: readonly string[]; cycles: readonly number[] } => ({
  nameParts: lists.name_part,
  cycles: lists.cycle.map(Number),
});
