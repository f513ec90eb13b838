import { Global, Module } from '@nestjs/common';
import { OperationsModule } from '@donorlens/operations';
import { CallQueueModule, QueuesModule } from '@donorlens/queues';
import { ReferenceDataModule } from '@donorlens/reference-data';
import { AccessModule } from '../access/access.module';
import { BatchPageRenderer } from '../batches/batch-progress.controller';
import { ChartPages } from '../charts/tables.controller';
import { ChartsModule } from '../charts/charts.module';
import { OpsSnapshots } from '../ops/ops-snapshot';
import { LookupPages } from '../lookups/lookup-pages';
import { AboutController } from './about/about.controller';
import { standaloneChart } from './age/age-chart';
import { renderAgePage } from './age/age-page';
import { renderNamesPage, standaloneNames } from './age/names-page';
import { AssetsController } from './assets/assets.controller';
import { renderBatchPage } from './batches/batch-page';
import { MAX_SHOWN_ERRORS } from './batches/batch-sections';
import { CandidateController } from './candidates/candidate.controller';
import { CompareController } from './candidates/compare.controller';
import { DonorChartPages } from './charts/chart-pages';
import { EmbedController } from './charts/embed.controller';
import { ethnicityPicture, renderEthnicityPage } from './ethnicity/ethnicity-page';
import { GuideController } from './guide/guide.controller';
import { HomeController } from './home/home.controller';
import { SessionController, SignInController } from './home/sign-in.controller';
import { CHART_POLICY } from './layout/picture';
import { OpsController } from './ops/ops.controller';
import { SearchController } from './search/search.controller';
import { SearchIndex } from './search/search-index';

const LOOKUP_PAGES: LookupPages = {
  agePage: renderAgePage,
  ageChart: standaloneChart,
  namesPage: renderNamesPage,
  namesChart: standaloneNames,
  ethnicityPage: renderEthnicityPage,
  ethnicityChart: ethnicityPicture,
  chartPolicy: CHART_POLICY,
};
const BATCH_PAGE: BatchPageRenderer = { maxErrors: MAX_SHOWN_ERRORS, render: renderBatchPage };

/** The pages. Global: it provides the renderers that features declare as abstract classes. */
@Global()
@Module({
  imports: [AccessModule, CallQueueModule, ChartsModule, OperationsModule, QueuesModule, ReferenceDataModule],
  controllers: [
    HomeController,
    AssetsController,
    SignInController,
    SessionController,
    GuideController,
    AboutController,
    CandidateController,
    CompareController,
    SearchController,
    EmbedController,
    OpsController,
  ],
  providers: [
    OpsSnapshots,
    SearchIndex,
    { provide: LookupPages, useValue: LOOKUP_PAGES },
    { provide: BatchPageRenderer, useValue: BATCH_PAGE },
    { provide: ChartPages, useClass: DonorChartPages },
  ],
  exports: [LookupPages, BatchPageRenderer, ChartPages],
})
export class WebModule {}
