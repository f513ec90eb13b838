import { Module } from '@nestjs/common';
import { ContributionsRepository, MastersRepository } from '@donorlens/campaign-finance';
import { AgeEstimates, ChartRepository, ChartVersionWatch, DonorRepository } from '@donorlens/charts';
import { PG_POOL } from '@donorlens/database';
import { LocationsModule } from '@donorlens/locations';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ReferenceDataModule } from '@donorlens/reference-data';
import { type Pool } from 'pg';
import { AboutFactsReader } from './about-facts';
import { CandidateProfiles } from './candidate-profiles';
import { ChartSearch } from './chart-search';
import { ContributionSearchController } from './contribution-search.controller';
import { DonorCharts } from './donor-charts';
import { DonorEthnicities } from './donor-ethnicities';
import { TableBodies } from './table-bodies';
import { TableReader } from './table-reader';
import { TablesController } from './tables.controller';

@Module({
  imports: [ReferenceDataModule, LocationsModule],
  controllers: [TablesController, ContributionSearchController],
  providers: [
    AgeEstimates,
    ChartRepository,
    { provide: MastersRepository, useFactory: (pool: Pool) => new MastersRepository(pool), inject: [PG_POOL] },
    {
      provide: ContributionsRepository,
      useFactory: (pool: Pool) => new ContributionsRepository(pool),
      inject: [PG_POOL],
    },
    {
      provide: ChartVersionWatch,
      useFactory: (reader: ChartRepository, logger: Logger) => new ChartVersionWatch(reader, logger),
      inject: [ChartRepository, LOGGER],
    },
    AboutFactsReader,
    CandidateProfiles,
    ChartSearch,
    DonorCharts,
    DonorEthnicities,
    DonorRepository,
    TableReader,
    TableBodies,
  ],
  exports: [AboutFactsReader, AgeEstimates, CandidateProfiles, ChartSearch, ChartVersionWatch, DonorCharts],
})
export class ChartsModule {}
