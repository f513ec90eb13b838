import { Controller, Get, Res } from '@nestjs/common';
import { processRegistry } from '@donorlens/observability';
import { ServiceMetrics } from '@donorlens/operations';
import { type FastifyReply } from 'fastify';
import { Registry } from 'prom-client';
import { Route } from '../http/route-policy';

@Controller()
export class MetricsController {
  private readonly service = new Registry();

  constructor(metrics: ServiceMetrics) {
    metrics.register(this.service);
  }

  @Get('metrics')
  @Route({
    access: 'ops',
    summary: 'Metrics of this process and of the whole service, for Prometheus.',
    answers: { 200: { description: 'Prometheus text format.', content: { 'text/plain': null } } },
  })
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.header('content-type', this.service.contentType);
    return `${await processRegistry().metrics()}${await this.service.metrics()}`;
  }
}
