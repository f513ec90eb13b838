import { Controller, Get, Inject, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { type Pool } from 'pg';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { assertSchemaIsCurrent, PG_POOL } from '@donorlens/database';
import { LOGGER, type Logger, processRegistry, VERSION } from '@donorlens/observability';
import { OperationsWatch, type QueueStatus, ServiceMetrics, StaleCache } from '@donorlens/operations';
import { ReleaseHolder } from '@donorlens/reference-data';
import { Problem } from '../http/problem';
import { Route } from '../http/route-policy';

const version = z.string().describe('Of donorlens.');
const readySchema = z.object({
  status: z.literal('ready'),
  version,
  release: z.string(),
  label: z.string().describe('official, folder or sample.'),
  checks: z.record(z.string(), z.literal('ok')),
  stopped: z
    .array(z.enum(['enrich', 'geocode']))
    .optional()
    .describe('Queues that have work and make no progress; /ops names the reason. Absent if there is none.'),
});

/** An api with stopped queues is ready: it answers lookups and accepts batches. */
const STOPPED_CACHE_MS = 5_000;
/** Maximum time that a readiness check waits for the stopped queues. */
const STOPPED_WAIT_MS = 500;

type Check = 'ok' | 'missing';

/** What operators do about the first check that failed. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  database: 'Start Postgres, or check DATABASE_URL.',
  schema: 'Run bin/donorlens migrate, or start the version of donorlens that this schema belongs to.',
  data_release: 'The aggregator loads the data release: its log has the current step.',
};

const waitText = (missing: readonly string[]): string =>
  `Waiting for: ${missing.join(', ').replace('_', ' ')}. ${NEXT_STEPS[missing[0]]}`;

@Controller('health')
export class HealthController {
  private readonly stopped: StaleCache<readonly QueueStatus['queue'][]>;

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly releases: ReleaseHolder,
    @Inject(LOGGER) private readonly logger: Logger,
    watch: OperationsWatch,
  ) {
    this.stopped = new StaleCache(async () => {
      const { status, issue } = await watch.read();
      if (status === null || issue !== null) return [];
      return status.queues.filter(({ stallReason }) => stallReason !== null).map(({ queue }) => queue);
    }, STOPPED_CACHE_MS);
  }

  @Get('live')
  @Route({
    access: 'public',
    summary: 'Liveness check: the process is running.',
    answers: {
      200: { description: 'Live.', content: { 'application/json': z.object({ status: z.literal('live'), version }) } },
    },
  })
  live(): object {
    return { status: 'live', version: VERSION };
  }

  @Get('ready')
  @Route({
    access: 'public',
    summary: 'Readiness check: database, schema and a data release are available.',
    answers: { 200: { description: 'Ready.', content: { 'application/json': readySchema } } },
    problems: ['unavailable'],
  })
  async ready(): Promise<object> {
    const release = this.releases.current();
    const checks = { ...(await this.databaseChecks()), data_release: release ? 'ok' : 'missing' } as const;
    const missing = Object.entries(checks).flatMap(([name, state]) => (state === 'ok' ? [] : [name]));
    if (release === null || missing.length > 0)
      throw new Problem('unavailable', waitText(missing), {
        members: { checks },
        headers: { 'retry-after': '2' },
      });
    const { value: stopped } = await this.stopped.get(STOPPED_WAIT_MS);
    const ready = { status: 'ready', version: VERSION, release: release.id, label: release.label, checks };
    return stopped === null || stopped.length === 0 ? ready : { ...ready, stopped };
  }

  private async databaseChecks(): Promise<{ database: Check; schema: Check }> {
    try {
      await this.pool.query('SELECT 1');
    } catch (error) {
      this.logger.debug({ err: error }, 'the database does not answer');
      return { database: 'missing', schema: 'missing' };
    }
    const current = await assertSchemaIsCurrent(this.pool).then(
      () => true,
      () => false,
    );
    return { database: 'ok', schema: current ? 'ok' : 'missing' };
  }
}

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
