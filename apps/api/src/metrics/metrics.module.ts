import { Module } from '@nestjs/common';
import { BeatsModule, OperationsModule, ServiceMetrics } from '@donorlens/operations';
import { MetricsController } from './metrics.controller';

@Module({ imports: [BeatsModule, OperationsModule], controllers: [MetricsController], providers: [ServiceMetrics] })
export class MetricsModule {}
