import { Injectable } from '@nestjs/common';
import { MastersRepository } from '@donorlens/campaign-finance';
import {
  ChartRepository,
  type ChartsVersion,
  ChartsVersionGoneError,
  ChartVersionWatch,
  type PublishedVersions,
} from '@donorlens/charts';
import { Problem } from '../http/problem';
import { type DataTable, type TableSources } from './data-tables';
import { DonorEthnicities } from './donor-ethnicities';
import { type Lists } from './list-parameters';

/** Rows of a table, all of one version. */
export interface VersionedRows<Row> {
  readonly version: Published;
  /** can be iterated several times */
  readonly rows: Iterable<Row>;
}

/** Versions change minutes apart; if one changes this often during a read, more attempts do not help. */
const MAX_RETRIES = 5;

/** Reads the rows of a table from the database, all of one version. */
@Injectable()
export class TableReader {
  private readonly sources: TableSources;

  constructor(
    charts: ChartRepository,
    masters: MastersRepository,
    ethnicities: DonorEthnicities,
    private readonly watch: ChartVersionWatch,
  ) {
    this.sources = { charts, masters, ethnicities };
  }

  /**
   * @param dataRelease - id of the data release of estimates; without it, the active one
   * @throws Problem 503 before the first version is published
   */
  async read<Row>(table: DataTable<Row>, lists: Lists, dataRelease?: string | null): Promise<VersionedRows<Row>> {
    for (let left = MAX_RETRIES; ; left--) {
      const version = published(this.watch, table.madeFrom);
      try {
        const rows = await table.read(this.sources, lists, chartsVersion(version), dataRelease);
        if (table.madeFrom === 'charts') return { version, rows };
        await this.watch.refreshNow(); // masters are replaced in place: check that the version is the same
        if (published(this.watch, table.madeFrom).id === version.id || left === 0) return { version, rows };
      } catch (error) {
        if (!(error instanceof ChartsVersionGoneError) || left === 0) throw error;
        await this.watch.refreshNow();
      }
    }
  }
}

/** The data that tables are made from. */
type Origin = keyof PublishedVersions;

const NOT_PUBLISHED: Readonly<Record<Origin, string>> = {
  charts: 'The charts are not built yet. They follow the first import: bin/donorlens import list shows it.',
  masters: 'No candidates and committees are loaded yet. Load a cycle: bin/donorlens import fec --cycle 2024.',
};

/** A version of the charts or the masters, and the time of its publication. */
export interface Published {
  readonly id: string;
  readonly at: Date;
}

export function publishedOrNull({ charts, masters }: PublishedVersions, origin: Origin): Published | null {
  if (origin === 'charts') return charts && { id: charts.id, at: charts.builtAt };
  return masters && { id: masters.id, at: masters.movedAt };
}

/** @throws Problem 503 before the first version is published */
export function published(watch: ChartVersionWatch, origin: Origin): Published {
  const current = publishedOrNull(watch.current(), origin);
  if (current === null) throw new Problem('unavailable', NOT_PUBLISHED[origin], { headers: { 'retry-after': '5' } });
  return current;
}

const chartsVersion = ({ id, at }: Published): ChartsVersion => ({ id, builtAt: at });
