import { applyDecorators, Controller, Get, Req, Res } from '@nestjs/common';
import { ReleaseHolder } from '@donorlens/reference-data';
import { TABLE_FILE_TYPES, isTableFile } from '@donorlens/tabular';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { acceptsGzip } from '../http/media-types';
import { Route } from '../http/route-policy';
import { awaitShared } from '../http/request-scheduling';
import { BOM, format, RAW } from '../schemas/parameters';
import { type Column } from './columns/column';
import {
  AGE_DISTRIBUTION,
  BREAKDOWN,
  CANDIDATE_SEARCH,
  COMMITTEE_SEARCH,
  CUMULATIVE_DONORS,
  type DataTable,
  DONOR_SIZE,
  OVERLAP,
  RETENTION,
  type TableFormat,
} from './data-tables';
import { FILENAME, NAME_PART } from './list-parameters';
import { sendTable } from './send-file';
import { TableBodies } from './table-bodies';
import { isLongFile } from './table-body';
import { type TableQuery, TableQueryParser } from './table-query';

const TABLE_FILES = Object.fromEntries(Object.values(TABLE_FILE_TYPES).map((type) => [type, null]));

const SCHEMAS: Readonly<Partial<Record<Column['kind'], () => z.ZodType>>> = {
  whole: () => z.int().nullable(),
  number: () => z.number().nullable(),
  dollars: () => z.number().nullable(),
};

function cellSchema({ kind, meaning }: Column): z.ZodType {
  return (SCHEMAS[kind] ?? z.string)().describe(meaning);
}

/** Declares the route of a table and its part of the OpenAPI document. */
function TableRoute(table: DataTable): MethodDecorator {
  const hasChart = table.formats.includes('html');
  return applyDecorators(
    Get(table.path),
    Route({
      access: 'charts:read',
      page: hasChart,
      pageQuery: hasChart ? [NAME_PART.name] : [],
      summary: table.summary,
      query: [
        ...table.own,
        ...table.options,
        format(...(table.formats as [TableFormat, ...TableFormat[]])),
        RAW,
        BOM,
        FILENAME,
      ],
      headers: [
        { name: 'If-None-Match', description: 'ETag of the answer you have.', schema: z.string() },
        { name: 'If-Modified-Since', description: 'Last-Modified of the answer you have.', schema: z.string() },
      ],
      answers: {
        200: {
          description: `results.csv: ${Object.keys(table.columns).join(',')}. The header line alone where nothing matches.${hasChart ? ' As a page or a picture: the chart.' : ''}`,
          content: {
            'text/csv': null,
            ...TABLE_FILES,
            'application/json': z.object({
              results: z.array(
                z.object(
                  Object.fromEntries(
                    Object.entries(table.columns).map(([name, column]) => [name.toLowerCase(), cellSchema(column)]),
                  ),
                ),
              ),
            }),
            ...(hasChart && { 'text/html': null, 'image/svg+xml': null }),
          },
        },
        304: { description: 'Not modified: the client has the current version.' },
      },
      problems: table === BREAKDOWN ? ['no-geography', 'unavailable'] : ['unavailable'],
    }),
  );
}

/** The charts age_distribution and cumulative_donors as a page or a picture; the web module provides it. */
export abstract class ChartPages {
  abstract send(query: TableQuery, request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** Tables as files, which are made once per version and cached, and charts of the tables. */
@Controller('data-charts/v1')
export class TablesController {
  private readonly queries = new TableQueryParser();

  constructor(
    private readonly bodies: TableBodies,
    private readonly charts: ChartPages,
    private readonly releases: ReleaseHolder,
  ) {}

  @TableRoute(AGE_DISTRIBUTION)
  ageDistribution(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(AGE_DISTRIBUTION, request, reply);
  }

  @TableRoute(CUMULATIVE_DONORS)
  cumulativeDonors(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(CUMULATIVE_DONORS, request, reply);
  }

  @TableRoute(BREAKDOWN)
  breakdown(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(BREAKDOWN, request, reply);
  }

  @TableRoute(DONOR_SIZE)
  donorSize(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(DONOR_SIZE, request, reply);
  }

  @TableRoute(RETENTION)
  retention(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(RETENTION, request, reply);
  }

  @TableRoute(OVERLAP)
  overlap(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(OVERLAP, request, reply);
  }

  @TableRoute(CANDIDATE_SEARCH)
  candidates(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(CANDIDATE_SEARCH, request, reply);
  }

  @TableRoute(COMMITTEE_SEARCH)
  committees(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.send(COMMITTEE_SEARCH, request, reply);
  }

  /** Estimates by place depend also on the data release, so a file is made and cached for each. */
  private ofRelease(query: TableQuery): TableQuery {
    if (!query.lists.ethnicity_basis?.includes('place')) return query;
    const dataRelease = this.releases.current()?.id ?? null;
    return { ...query, canonical: `${query.canonical}&data_release=${dataRelease}`, dataRelease };
  }

  private async send(table: DataTable, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const query = this.ofRelease(this.queries.parse(table, request));
    if (query.format === 'html' || query.format === 'svg') return this.charts.send(query, request, reply);
    const found = this.bodies.find(query, acceptsGzip(request.headers) && !isTableFile(query.format));
    const file = found instanceof Promise ? await found : found;
    return sendTable(request, reply, isLongFile(file) ? await awaitShared(Promise.resolve(file), request) : file);
  }
}
