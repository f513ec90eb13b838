import { Module } from '@nestjs/common';
import { BeatsModule, ServiceMetrics } from '@donorlens/operations';
import { MetricsController } from './metrics.controller';

@Module({ imports: [BeatsModule], controllers: [MetricsController], providers: [ServiceMetrics] })
export class MetricsModule {}
