import { type DynamicModule, Module } from '@nestjs/common';
import { BatchesModule } from '@donorlens/batches';
import { type Config, ConfigModule } from '@donorlens/config';
import { DatabaseModule } from '@donorlens/database';
import { LocationsModule } from '@donorlens/locations';
import { type Logger, ObservabilityModule } from '@donorlens/observability';
import { HeartbeatsModule, OperationsModule, ServiceMetrics } from '@donorlens/operations';
import { ReferenceDataModule } from '@donorlens/reference-data';
import { DeliveryRepository } from '@donorlens/webhooks';
import { AccessModule } from './access/access.module';
import { BatchProgressController } from './batches/batch-progress.controller';
import { BatchResultsController } from './batches/batch-results.controller';
import { BatchSubmission } from './batches/batch-submission';
import { BatchWait, WaitedBatches } from './batches/batch-wait';
import { BatchPresenter, QueueReason } from './batches/batch-presenter';
import { BatchesController, WebhookSecretController } from './batches/batches.controller';
import { DonorAges } from './batches/donor-ages';
import { PreviewWriter } from './batches/preview-writer';
import { ChartsModule } from './charts/charts.module';
import { HealthController, MetricsController } from './monitoring/monitoring.controllers';
import { RouteTable } from './http/route-policy';
import { AddressLookup } from './lookups/address-lookup';
import { AgeGenderController } from './lookups/age-gender.controller';
import { BulkLimits } from './lookups/bulk-request';
import { ContributionsController } from './lookups/contributions.controller';
import { EthnicityController } from './lookups/ethnicity.controller';
import { OpenApiController } from './openapi/openapi.controller';
import { DocsController } from './web/api-docs/docs.controller';
import { BatchPagesController } from './web/batches/batch-pages.controller';
import { RepeatController, UploadController } from './web/upload/upload.controller';
import { WebModule } from './web/web.module';

@Module({})
export class ApiModule {
  static forRoot(config: Config, logger: Logger, routes: RouteTable): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        ConfigModule.forRoot(config),
        ObservabilityModule.forRoot(logger),
        DatabaseModule.forRoot(config, { name: 'api', startsWithoutDatabase: true }),
        AccessModule,
        ReferenceDataModule,
        LocationsModule,
        BatchesModule.forRoot({ chunkRows: config.chunkRows, ttlHours: config.batchTtlHours }),
        ChartsModule,
        WebModule,
        OperationsModule,
        HeartbeatsModule,
      ],
      controllers: [
        OpenApiController,
        DocsController,
        HealthController,
        MetricsController,
        AgeGenderController,
        EthnicityController,
        ContributionsController,
        BatchesController,
        BatchProgressController,
        BatchResultsController,
        UploadController,
        RepeatController,
        BatchPagesController,
        WebhookSecretController,
      ],
      providers: [
        { provide: RouteTable, useValue: routes },
        ServiceMetrics,
        BulkLimits,
        BatchPresenter,
        QueueReason,
        BatchSubmission,
        DeliveryRepository,
        DonorAges,
        BatchWait,
        WaitedBatches,
        AddressLookup,
        PreviewWriter,
      ],
    };
  }
}
