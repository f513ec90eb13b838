import { Readable } from 'node:stream';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import {
  type ContributionFile,
  type ContributionSelection,
  type FileOptions,
  ContributionsRepository,
  type RowDetail,
  isRowName,
  UnknownRowError,
} from '@donorlens/campaign-finance';
import { CONFIG, type Config } from '@donorlens/config';
import { filedNameDetail } from '@donorlens/enrichment';
import {
  ADDED_KINDS,
  type CountyFinder,
  type EthnicityOption,
  type ZipCountyFinder,
  parseCivilDay,
} from '@donorlens/primitives';
import { AddressKeys } from '@donorlens/locations';
import { type Release, ReleaseHolder } from '@donorlens/reference-data';
import { type CellKind, MAX_SHEET_ROWS, isTableFile, tableFile, withByteOrderMark } from '@donorlens/tabular';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { acceptsGzip, preferredFormat } from '../http/media-types';
import { checkSheetRows, invalidRequest } from '../http/problem';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { type QueryParameter, Route } from '../http/route-policy';
import {
  type AreaOptions,
  BOM,
  ETHNICITY_BASIS,
  PLACE_DETAIL,
  RAW,
  TRACT_INCOME,
  areaOptions,
  format,
  requestedAreas,
} from '../schemas/parameters';
import { cellKind } from './columns/column';
import { CONTRIBUTION_COLUMNS } from './columns/contributions';
import { CORS_HEADERS } from '../http/request-hooks';
import { MEDIA_TYPES } from './data-tables';
import { contributionFileLimiter } from './download-limiter';
import { sendStream } from './send-file';
import { CANDIDATE_ID, checkOffices, COMMITTEE_ID, CYCLE, OFFICE, officesOf } from './list-parameters';
import { readLists, requireOne } from './table-query';
import { filedNameLookup } from './donor-ethnicities';

const day = (name: string, description: string): QueryParameter => ({
  name,
  description,
  schema: z.string().meta({ format: 'date' }),
});

const MAX_ROWS = 999_999_999;
const FORMATS = ['csv', 'parquet', 'xlsx'] as const;
type Format = (typeof FORMATS)[number];

const CONTRIBUTION_PARAMETERS: readonly QueryParameter[] = [
  CANDIDATE_ID,
  COMMITTEE_ID,
  CYCLE,
  OFFICE,
  day('date_from', 'First day, yyyy-mm-dd. Rows without a valid date are in no range.'),
  day('date_to', 'Last day, yyyy-mm-dd.'),
  {
    name: 'limit',
    description: 'Maximum number of contributions. One to several selected candidates has a row for each.',
    schema: z.int().min(1).max(MAX_ROWS),
    example: 20,
  },
  {
    name: 'after',
    description: 'Continue after this row: its SUB_ID, or CMTE_ID:FILE_NUM:TRAN_ID if it has none.',
    schema: z.string().max(200),
  },
];

const CONDITIONS = ['candidate_id', 'committee_id', 'cycle', 'date_from', 'date_to'];

const headersOf = (type: (typeof FORMATS)[number], gzip: boolean): Record<string, string> => ({
  'content-type': type === 'csv' ? `${MEDIA_TYPES.csv}; charset=utf-8` : MEDIA_TYPES[type],
  'content-disposition': `attachment; filename=results.${type}`,
  ...CORS_HEADERS,
  vary: 'Accept, Accept-Encoding',
  ...(gzip && { 'content-encoding': 'gzip' }),
});

/** Contributions row by row. The file can have any size, so it is streamed and not cached. */
@Controller('data-charts/v1')
export class ContributionSearchController {
  private readonly limiter = contributionFileLimiter();

  constructor(
    private readonly rows: ContributionsRepository,
    private readonly releases: ReleaseHolder,
    private readonly keys: AddressKeys,
    @Inject(CONFIG) private readonly config: Pick<Config, 'ethnicityBasis'>,
  ) {}

  @Get('contributions/search')
  @Route({
    access: 'charts:rows',
    summary:
      'Contributions as filed, with what was estimated of the donor and how the row counts. Streamed at any size.',
    query: [...CONTRIBUTION_PARAMETERS, format(...FORMATS), RAW, BOM, PLACE_DETAIL, ETHNICITY_BASIS, TRACT_INCOME],
    answers: {
      200: {
        description: `results.csv: ${Object.keys(CONTRIBUTION_COLUMNS).join(',')}. Resume an interrupted download with after=.`,
        content: Object.fromEntries(FORMATS.map((one) => [MEDIA_TYPES[one], null])),
      },
    },
    problems: ['no-geography', 'unavailable'],
  })
  async search(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const {
      selection,
      format: type,
      raw,
      bom,
      detail,
      areas,
    } = parseContributionQuery(request, this.config.ethnicityBasis);
    const current = this.releases.current(); // one data release for the whole file
    const tables = fileTables(current, areas);
    const counties = current?.counties;
    const countyOf: CountyFinder = (fips) => counties?.find(fips) ?? null;
    const zipCountyOf: ZipCountyFinder = (zip) => counties?.findZip(zip) ?? null;
    const gzip = type === 'csv' && acceptsGzip(request.headers);
    const headers = headersOf(type, gzip);
    if (request.method === 'HEAD') {
      void reply.headers(headers).send();
      return;
    }
    const [, releaseSlot] = await this.limiter.acquire();
    if (reply.raw.destroyed) return releaseSlot();
    const file = await this.opened(selection, type).catch((error: unknown) => {
      releaseSlot();
      throw error instanceof UnknownRowError ? unknownRow(error) : error;
    });
    const rowDetail: RowDetail = {
      donorIdOf: (key) => this.keys.donorIdOf(key).toString('hex'),
      nameDetailOf: (filed, releaseId) => (current?.id === releaseId ? filedNameDetail(filed, current) : null),
    };
    const isTable = isTableFile(type);
    const csv = file.pieces({ raw: raw || isTable, detail: detail && rowDetail, countyOf, zipCountyOf, ...tables });
    const text = bom ? withByteOrderMark(csv) : csv;
    const source = Readable.from(isTable ? tableFile(type, csv, kindOf) : text, { objectMode: false });
    const end = (): void => {
      file.close();
      releaseSlot();
    };
    source.once('close', end);
    reply.raw.once('close', end); // if the client disconnects before the database returns the first rows
    sendStream(reply, headers, source, gzip);
  }

  /** @throws UnknownRowError; Problem 400 if the file has more rows than a sheet can hold */
  private async opened(selection: ContributionSelection, type: Format): Promise<ContributionFile> {
    const file = await this.rows.open(selection);
    if (type !== 'xlsx') return file;
    try {
      checkSheetRows(type, await file.countLines(MAX_SHEET_ROWS));
      return file;
    } catch (error) {
      file.close();
      throw error;
    }
  }
}

/** CONTRIBUTION_COLUMNS has the columns of every file, ADDED_KINDS those of detail and areas. */
const kindOf = (name: string): CellKind =>
  name in CONTRIBUTION_COLUMNS
    ? cellKind(CONTRIBUTION_COLUMNS[name as keyof typeof CONTRIBUTION_COLUMNS])
    : (ADDED_KINDS[name] ?? 'text');

/** @throws Problem 409 */
function fileTables(release: Release | null, options: AreaOptions): Pick<FileOptions, 'placed' | 'tractIncomes'> {
  const { geography, tractIncomes } = requestedAreas(release, options);
  if (release === null || geography === null) return { placed: null, tractIncomes };
  return { placed: { geography, lookUp: filedNameLookup(release) }, tractIncomes };
}

const unknownRow = ({ message }: UnknownRowError): Error =>
  invalidRequest([{ pointer: '/query/after', detail: `must name a row: ${message}` }]);

interface ContributionQuery {
  readonly selection: ContributionSelection;
  readonly format: Format;
  readonly raw: boolean;
  readonly bom: boolean;
  readonly detail: boolean;
  readonly areas: AreaOptions;
}

/** @throws Problem 400 */
function parseContributionQuery(request: FastifyRequest, defaultBasis: EthnicityOption): ContributionQuery {
  const query = request.query as QueryParameters;
  const reader = new ParameterReader(query);
  const own = [CANDIDATE_ID, COMMITTEE_ID, CYCLE];
  const lists = readLists(reader, own, [OFFICE]);
  checkOffices(reader, lists);
  requireOne(reader, query, CONDITIONS);
  const [from, to] = [dayOf(reader, 'date_from'), dayOf(reader, 'date_to')];
  if (from !== null && to !== null && from > to) reader.addFault('date_to', 'must not be before date_from');
  const after = reader.text('after') ?? null;
  if (after !== null && !isRowName(after)) reader.addFault('after', 'must be a SUB_ID, or CMTE_ID:FILE_NUM:TRAN_ID');
  const limit = reader.wholeNumber('limit', 1, MAX_ROWS) ?? null;
  const requested = reader.oneOf('format', FORMATS);
  const [raw, bom, detail] = ['raw', 'bom', 'detail'].map((name) => reader.flag(name));
  const areas = areaOptions(reader, defaultBasis);
  reader.finish();
  const selection = {
    candidateIds: lists.candidate_id,
    committeeIds: lists.committee_id,
    cycles: lists.cycle.map(Number),
    offices: officesOf(lists),
    from,
    to,
    after,
    limit,
  };
  const format = requested ?? preferredFormat(request.headers.accept, FORMATS, MEDIA_TYPES);
  return { selection, format, raw, bom, detail, areas };
}

function dayOf(reader: ParameterReader, name: string): number | null {
  const text = reader.text(name);
  if (text === undefined) return null;
  const day = parseCivilDay(text);
  if (Number.isNaN(day)) reader.addFault(name, 'must be a real date yyyy-mm-dd');
  return day;
}
