import { type Readable } from 'node:stream';
import { createGzip, constants } from 'node:zlib';
import { Controller, Get, Param, Req, Res, StreamableFile } from '@nestjs/common';
import { type Batch, BatchRepository, BatchResults, ResultsGoneError } from '@donorlens/batches';
import { ReleaseHolder } from '@donorlens/reference-data';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { preferredType } from '../http/media-types';
import { Problem } from '../http/problem';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { type QueryParameter, Route, type RoutePolicy } from '../http/route-policy';
import { format } from '../lookups/parameters';
import { ownBatch } from './own-batch';

const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson', json: 'application/json' } as const;
type Format = keyof typeof TYPES;
const FORMATS = ['csv', 'ndjson', 'json'] as const;

const RAW: QueryParameter = {
  name: 'raw',
  description: "Leaves out the ' before text that a spreadsheet would run as a formula.",
  schema: z.boolean().default(false),
};
const PARTIAL: QueryParameter = {
  name: 'partial',
  description:
    'Gives the rows that are done although the batch has not finished; addresses not located yet are PENDING in them.',
  schema: z.boolean().default(false),
};

const policyOf = (summary: string, query: readonly QueryParameter[]): RoutePolicy => ({
  access: 'enrich:batch',
  summary,
  query: [format(...FORMATS), ...query],
  answers: {
    200: {
      description: 'One row per row of the input, in its order, streamed.',
      content: { 'text/csv': null, 'application/x-ndjson': null, 'application/json': null },
    },
  },
  problems: ['not-found', 'batch-not-finished', 'expired', 'unavailable'],
});

interface Wish {
  readonly format: Format;
  readonly raw: boolean;
  readonly partial: boolean;
}

@Controller('enrich/v1/batches/:id')
export class BatchResultsController {
  constructor(
    private readonly batches: BatchRepository,
    private readonly results: BatchResults,
    private readonly releases: ReleaseHolder,
  ) {}

  @Get('results')
  @Route(policyOf('The answers of a batch: your columns untouched and ours appended.', [RAW, PARTIAL]))
  async show(@Param('id') id: string, @Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const wish = wishOf(request);
    const batch = await this.readable(request, id, wish.partial);
    const { counties } = await this.releases.get(batch.releaseId);
    const rows = await this.results
      .stream(batch, { ...wish, countyOf: (fips) => counties.find(fips) })
      .catch((error: unknown) => this.refused(error, request, id, wish.partial));
    return sent(rows, wish.format, batch, request, reply);
  }

  @Get('errors')
  @Route(policyOf('The rows that have no answer: row, code, message and the row as it was sent.', [RAW, PARTIAL]))
  async errors(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const wish = wishOf(request);
    const batch = await this.readable(request, id, wish.partial);
    const rows = await this.results
      .errorsStream(batch, wish)
      .catch((error: unknown) => this.refused(error, request, id, wish.partial));
    return sent(rows, wish.format, batch, request, reply);
  }

  /** Erased since it was looked up: it is answered as it is now. */
  private async refused(error: unknown, request: FastifyRequest, id: string, partial: boolean): Promise<never> {
    if (error instanceof ResultsGoneError) await this.readable(request, id, partial);
    throw error;
  }

  private async readable(request: FastifyRequest, id: string, partial: boolean): Promise<Batch> {
    const { batch } = await ownBatch(this.batches, request, id);
    if (batch.state === 'expired') throw new Problem('expired', 'They were kept for the time that the batch stated.');
    const ended = batch.state === 'completed' || batch.state === 'cancelled' || batch.state === 'failed';
    if (!ended && !partial)
      throw new Problem(
        'batch-not-finished',
        'Its rows are there when it has finished; ?partial=true gives those done.',
        {
          headers: { 'retry-after': '1' },
        },
      );
    return batch;
  }
}

function wishOf(request: FastifyRequest): Wish {
  const parameters = new ParameterReader(request.query as QueryParameters);
  const wished = parameters.oneOf('format', FORMATS);
  const wish = { raw: parameters.flag('raw'), partial: parameters.flag('partial') };
  parameters.finish();
  const type = preferredType(request.headers.accept, [TYPES.csv, TYPES.ndjson, TYPES.json]);
  return { ...wish, format: wished ?? FORMATS.find((one) => TYPES[one] === type) ?? 'csv' };
}

function sent(
  rows: Readable,
  format: Format,
  batch: Batch,
  request: FastifyRequest,
  reply: FastifyReply,
): StreamableFile {
  void reply.headers({
    'content-type': format === 'csv' ? `${TYPES.csv}; charset=utf-8` : TYPES[format],
    'content-disposition': `attachment; filename=results.${format}`,
    'data-version': batch.releaseId,
    vary: 'Accept, Accept-Encoding',
  });
  if (!/\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(request.headers['accept-encoding'] ?? '')))
    return new StreamableFile(rows);
  void reply.header('content-encoding', 'gzip');
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  rows.on('error', (error) => gzip.destroy(error));
  gzip.on('close', () => rows.destroy());
  return new StreamableFile(rows.pipe(gzip));
}
