import { Readable } from 'node:stream';
import { createGzip, constants } from 'node:zlib';
import { Controller, Get, Param, Req, Res, StreamableFile } from '@nestjs/common';
import {
  type Batch,
  BatchRepository,
  BatchResults,
  BatchSummaries,
  ResultsGoneError,
  summaryCsv,
} from '@donorlens/batches';
import { itemDetails } from '@donorlens/enrichment';
import { ReleaseHolder } from '@donorlens/reference-data';
import { TABLE_FILE_TYPES, isTableFile, withByteOrderMark } from '@donorlens/tabular';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { acceptsGzip, preferredFormat, preferredType } from '../http/media-types';
import { Problem, checkSheetRows } from '../http/problem';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { type QueryParameter, Route, type RoutePolicy } from '../http/route-policy';
import { BOM, RAW, RESULT_DETAIL, TRACT_INCOME, format } from '../schemas/parameters';
import { areasOf, summaryTables } from './batch-areas';
import { ownBatch } from './batch-presenter';
import { summarySchema } from './batch-wire';

const TYPES = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  ...TABLE_FILE_TYPES,
} as const;
type Format = keyof typeof TYPES;
const FORMATS = ['csv', 'ndjson', 'json', 'parquet', 'xlsx'] as const;

const PARTIAL: QueryParameter = {
  name: 'partial',
  description:
    'Returns the finished rows of a batch that has not finished; addresses that are not geocoded yet are PENDING.',
  schema: z.boolean().default(false),
};

const policyOf = (summary: string, query: readonly QueryParameter[]): RoutePolicy => ({
  access: 'enrich:batch',
  page: true,
  summary,
  query: [format(...FORMATS), ...query],
  answers: {
    200: {
      description: 'Rows in the order of the input, streamed.',
      content: Object.fromEntries(Object.values(TYPES).map((type) => [type, null])),
    },
  },
  problems: ['not-found', 'batch-not-finished', 'no-geography', 'expired', 'unavailable'],
});

interface ResultsQuery {
  readonly format: Format;
  readonly raw: boolean;
  readonly bom: boolean;
  readonly partial: boolean;
  readonly detail: boolean;
  readonly tractIncome: boolean;
}

@Controller('enrich/v1/batches/:id')
export class BatchResultsController {
  constructor(
    private readonly batches: BatchRepository,
    private readonly results: BatchResults,
    private readonly summaries: BatchSummaries,
    private readonly releases: ReleaseHolder,
  ) {}

  @Get('results')
  @Route(
    policyOf('The results of a batch: your columns unchanged, with the added columns after them.', [
      RAW,
      BOM,
      PARTIAL,
      RESULT_DETAIL,
      TRACT_INCOME,
    ]),
  )
  async show(@Param('id') id: string, @Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { detail, bom, ...query } = parseResultsQuery(request, true);
    const batch = await this.readable(request, id, query.partial);
    checkSheetRows(query.format, batch.rowsTotal);
    const release = await this.releases.get(batch.releaseId);
    const detailOf = detail ? itemDetails({ ...batch, format: batch.itemFormat }, release) : undefined;
    const areas = areasOf(batch, release, query.tractIncome);
    const rows = await this.results
      .stream(batch, {
        ...{ ...query, detailOf, areas, demographics: release.demographics },
        countyOf: (fips) => release.counties.find(fips),
      })
      .catch((error: unknown) => this.refused(error, request, id, query.partial));
    return sent(rows, { ...query, bom, what: 'enriched' }, batch, request, reply);
  }

  @Get('errors')
  @Route(
    policyOf('The rows without a result: row number, code, message and the row as it was sent.', [RAW, BOM, PARTIAL]),
  )
  async errors(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { bom, ...query } = parseResultsQuery(request, false);
    const batch = await this.readable(request, id, query.partial);
    checkSheetRows(query.format, batch.counts.invalid + batch.counts.failed);
    const rows = await this.results
      .errorsStream(batch, query)
      .catch((error: unknown) => this.refused(error, request, id, query.partial));
    return sent(rows, { ...query, bom, what: 'errors' }, batch, request, reply);
  }

  @Get('summary')
  @Route({
    access: 'enrich:batch',
    page: true,
    summary: 'A finished batch in numbers: ages, gender, ethnicity, places, incomes and how many rows have a value.',
    query: [format('csv', 'json')],
    answers: {
      200: {
        description: 'Expected numbers of people with two decimals. Pending addresses are not in it yet.',
        content: { 'application/json': summarySchema, 'text/csv': null },
      },
    },
    problems: ['not-found', 'batch-not-finished', 'no-geography', 'expired', 'unavailable'],
  })
  async summary(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const parameters = new ParameterReader(request.query as QueryParameters);
    const requested = parameters.oneOf('format', ['csv', 'json'] as const);
    parameters.finish();
    const type = requested ? TYPES[requested] : preferredType(request.headers.accept, [TYPES.json, TYPES.csv]);
    const batch = await this.readable(request, id, false);
    const tables = summaryTables(batch, await this.releases.get(batch.releaseId));
    const summary = await this.summaries
      .load(batch, tables)
      .catch((error: unknown) => this.refused(error, request, id, false));
    const isCsv = type === TYPES.csv;
    void reply.headers({
      'content-type': isCsv ? `${TYPES.csv}; charset=utf-8` : TYPES.json,
      ...(isCsv && { 'content-disposition': attachment(batch, 'summary', 'csv') }),
      'data-version': batch.releaseId,
      vary: 'Accept',
    });
    return isCsv ? summaryCsv(summary) : summary;
  }

  /** Handles a batch that was erased after it was read: throws the error for its current state. */
  private async refused(error: unknown, request: FastifyRequest, id: string, partial: boolean): Promise<never> {
    if (error instanceof ResultsGoneError) await this.readable(request, id, partial);
    throw error;
  }

  private async readable(request: FastifyRequest, id: string, partial: boolean): Promise<Batch> {
    const { batch } = await ownBatch(this.batches, request, id);
    if (batch.state === 'expired') throw new Problem('expired', 'The batch has expired.');
    const ended = batch.state === 'completed' || batch.state === 'cancelled' || batch.state === 'failed';
    if (!ended && !partial)
      throw new Problem(
        'batch-not-finished',
        'The results are complete when the batch has finished; ?partial=true returns the finished rows.',
        {
          headers: { 'retry-after': '1' },
        },
      );
    return batch;
  }
}

function parseResultsQuery(request: FastifyRequest, hasDetail: boolean): ResultsQuery {
  const parameters = new ParameterReader(request.query as QueryParameters);
  const requested = parameters.oneOf('format', FORMATS);
  const query = {
    raw: parameters.flag('raw'),
    bom: parameters.flag('bom'),
    partial: parameters.flag('partial'),
    detail: hasDetail && parameters.flag('detail'),
    tractIncome: hasDetail && parameters.flag('tract_income'),
  };
  parameters.finish();
  return { ...query, format: requested ?? preferredFormat(request.headers.accept, FORMATS, TYPES) };
}

/** `donors-enriched.csv` for the input `donors.csv`; `enriched-0b0f6a1c.csv` for an input without a name. */
export function attachment({ id, name }: Pick<Batch, 'id' | 'name'>, what: string, format: string): string {
  if (name === null) return `attachment; filename=${what}-${id.slice(0, 8)}.${format}`;
  const stem = name.replace(/\.gz$/i, '').replace(/\.\w{1,8}$/, '');
  const file = `${stem.replace(/[/\\]/g, '_')}-${what}.${format}`;
  const ascii = file.replace(/[^\w .()-]/g, '_');
  const extended = encodeURIComponent(file).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"${ascii === file ? '' : `; filename*=UTF-8''${extended}`}`;
}

interface SentFile extends Pick<ResultsQuery, 'format' | 'bom'> {
  /** Part of the file name. */
  readonly what: string;
}

function sent(
  stream: Readable,
  { format, bom, what }: SentFile,
  batch: Batch,
  request: FastifyRequest,
  reply: FastifyReply,
): StreamableFile {
  void reply.headers({
    'content-type': format === 'csv' ? `${TYPES.csv}; charset=utf-8` : TYPES[format],
    'content-disposition': attachment(batch, what, format),
    'data-version': batch.releaseId,
    vary: 'Accept, Accept-Encoding',
  });
  const rows =
    bom && format === 'csv'
      ? Readable.from(withByteOrderMark(stream as AsyncIterable<Buffer>), { objectMode: false })
      : stream;
  if (isTableFile(format) || !acceptsGzip(request.headers)) return new StreamableFile(rows);
  void reply.header('content-encoding', 'gzip');
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  rows.on('error', (error) => gzip.destroy(error));
  gzip.on('close', () => rows.destroy());
  return new StreamableFile(rows.pipe(gzip));
}
