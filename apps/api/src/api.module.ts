import { type DynamicModule, Module } from '@nestjs/common';
import { TokenBucket } from '@donorlens/access-keys';
import { BatchesModule } from '@donorlens/batches';
import { type Config, ConfigModule } from '@donorlens/config';
import { DatabaseModule } from '@donorlens/database';
import { LocationsModule } from '@donorlens/locations';
import { type Logger, ObservabilityModule } from '@donorlens/observability';
import { OperationsModule } from '@donorlens/operations';
import { ReferenceDataModule } from '@donorlens/reference-data';
import { AccessModule } from './access/access.module';
import { BatchProgressController } from './batches/batch-progress.controller';
import { BatchResultsController } from './batches/batch-results.controller';
import { BatchSubmission } from './batches/batch-submission';
import { BatchWait } from './batches/batch-wait';
import { BatchWires } from './batches/batch-wires';
import { BatchesController } from './batches/batches.controller';
import { WebhookSecretController } from './batches/webhook-secret.controller';
import { PreviewWriter } from './batches/preview-writer';
import { PromptBatches } from './batches/prompt-batches';
import { QueueReason } from './batches/queue-reason';
import { DataChartsModule } from './data-charts/data-charts.module';
import { DocsModule } from './docs/docs.module';
import { GuideController } from './guide/guide.controller';
import { HealthController } from './health/health.controller';
import { RouteTable } from './http/route-table';
import { AddressLookup } from './lookups/address-lookup';
import { AgeGenderController } from './lookups/age-gender.controller';
import { BulkLimits } from './lookups/bulk-limits';
import { ContributionAnswers } from './lookups/contribution-answers';
import { ContributionsController } from './lookups/contributions.controller';
import { EthnicityController } from './lookups/ethnicity.controller';
import { NamePageController } from './lookups/name-page.controller';
import { SurnamePageController } from './lookups/surname-page.controller';
import { MetricsModule } from './metrics/metrics.module';
import { OpenApiController } from './openapi/openapi.controller';
import { OpsModule } from './ops/ops.module';
import { AssetsController } from './pages/assets.controller';
import { HomeController } from './pages/home.controller';
import { SignInController } from './pages/sign-in.controller';
import { BatchPagesController } from './upload/batch-pages.controller';
import { UploadController } from './upload/upload.controller';

@Module({})
export class ApiModule {
  static with(config: Config, logger: Logger, routes: RouteTable): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        ConfigModule.with(config),
        ObservabilityModule.with(logger),
        DatabaseModule.with(config, { name: 'api' }),
        AccessModule,
        ReferenceDataModule,
        LocationsModule,
        BatchesModule.with({ chunkRows: config.chunkRows, ttlHours: config.batchTtlHours }),
        DataChartsModule,
        DocsModule,
        MetricsModule,
        OperationsModule,
        OpsModule,
      ],
      controllers: [
        HomeController,
        AssetsController,
        SignInController,
        OpenApiController,
        GuideController,
        HealthController,
        AgeGenderController,
        NamePageController,
        EthnicityController,
        SurnamePageController,
        ContributionsController,
        BatchesController,
        BatchProgressController,
        BatchResultsController,
        UploadController,
        BatchPagesController,
        WebhookSecretController,
      ],
      providers: [
        { provide: RouteTable, useValue: routes },
        { provide: TokenBucket, useValue: new TokenBucket() },
        BulkLimits,
        BatchWires,
        QueueReason,
        BatchSubmission,
        BatchWait,
        PromptBatches,
        AddressLookup,
        ContributionAnswers,
        PreviewWriter,
      ],
    };
  }
}
