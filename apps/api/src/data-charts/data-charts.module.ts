import { Module } from '@nestjs/common';
import { ContributionRows, MastersRepository } from '@donorlens/campaign-finance';
import { ChartReader, ChartVersionWatch } from '@donorlens/charts';
import { PG_POOL } from '@donorlens/database';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ReferenceDataModule } from '@donorlens/reference-data';
import { type Pool } from 'pg';
import { AboutController } from './about.controller';
import { AboutFactsReader } from './about-facts.reader';
import { ChartPages } from './chart-pages';
import { ChartSearch } from './chart-search';
import { ContributionSearchController } from './contribution-search.controller';
import { DonorCharts } from './donor-charts';
import { TableBodies } from './table-bodies';
import { TableRows } from './table-rows';
import { TablesController } from './tables.controller';

@Module({
  imports: [ReferenceDataModule],
  controllers: [AboutController, TablesController, ContributionSearchController],
  providers: [
    ChartReader,
    { provide: MastersRepository, useFactory: (pool: Pool) => new MastersRepository(pool), inject: [PG_POOL] },
    { provide: ContributionRows, useFactory: (pool: Pool) => new ContributionRows(pool), inject: [PG_POOL] },
    {
      provide: ChartVersionWatch,
      useFactory: (reader: ChartReader, logger: Logger) => new ChartVersionWatch(reader, logger),
      inject: [ChartReader, LOGGER],
    },
    AboutFactsReader,
    ChartPages,
    ChartSearch,
    DonorCharts,
    TableRows,
    TableBodies,
  ],
  exports: [AboutFactsReader],
})
export class DataChartsModule {}
