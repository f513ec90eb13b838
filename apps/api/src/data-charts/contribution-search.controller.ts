import { Readable } from 'node:stream';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { ContributionRows, UnknownRowError } from '@donorlens/campaign-finance';
import { type CountyFinder } from '@donorlens/primitives';
import { ReleaseHolder } from '@donorlens/reference-data';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { acceptsGzip } from '../http/accepts-gzip';
import { invalidRequest } from '../http/problem';
import { Route } from '../http/route-policy';
import { format } from '../lookups/parameters';
import { CONTRIBUTION_COLUMNS } from './columns/contributions';
import { CONTRIBUTION_PARAMETERS, contributionQuery } from './contribution-query';
import { CORS_HEADERS } from './cors';
import { FileSlots } from './file-slots';
import { sendStream } from './send-stream';
import { RAW } from './table-route';

/** Each holds a connection to the database until it has been read. */
const MOST_READ = 4;
/** Most files are short: who comes while four are being read has one soon. */
const IN_LINE_MS = 2_000;

/** Contributions row by row. Not kept: a file of any size, written while it is read. */
@Controller('data-charts/v1')
export class ContributionSearchController {
  private readonly slots = new FileSlots(MOST_READ, IN_LINE_MS);

  constructor(
    private readonly rows: ContributionRows,
    private readonly releases: ReleaseHolder,
  ) {}

  @Get('contributions/search')
  @Route({
    access: 'charts:rows',
    summary:
      'Contributions as filed, with what was estimated of the donor and how the row counts. Streamed at any size.',
    query: [...CONTRIBUTION_PARAMETERS, format('csv'), RAW],
    answers: {
      200: {
        description: `results.csv: ${Object.keys(CONTRIBUTION_COLUMNS).join(',')}. A file that breaks off is read on with after=.`,
        content: { 'text/csv': null },
      },
    },
    problems: ['unavailable'],
  })
  async search(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { selection, raw } = contributionQuery(request);
    const counties = this.releases.current()?.counties; // of one release, however long the file is
    const countyOf: CountyFinder = (fips) => counties?.find(fips) ?? null;
    const gzip = acceptsGzip(request.headers);
    const headers = {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename=results.csv',
      ...CORS_HEADERS,
      vary: 'Accept, Accept-Encoding',
      ...(gzip && { 'content-encoding': 'gzip' }),
    };
    if (request.method === 'HEAD') {
      void reply.headers(headers).send();
      return;
    }
    const giveBack = await this.slots.take();
    if (reply.raw.destroyed) return giveBack();
    const file = await this.rows.open(selection).catch((error: unknown) => {
      giveBack();
      throw error instanceof UnknownRowError ? unknownRow(error) : error;
    });
    const lines = Readable.from(file.pieces({ raw, countyOf }), { objectMode: false });
    const end = (): void => {
      file.close();
      giveBack();
    };
    lines.once('close', end);
    reply.raw.once('close', end); // of a client that went away while the database was still looking for its rows
    sendStream(reply, headers, lines, gzip);
  }
}

const unknownRow = ({ message }: UnknownRowError): Error =>
  invalidRequest([{ pointer: '/query/after', detail: `must name a row: ${message}` }]);
