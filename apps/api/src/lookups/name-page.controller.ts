import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { parseCivilDay } from '@donorlens/primitives';
import { type Release, ReleaseHolder } from '@donorlens/reference-data';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { preferredType } from '../http/media-types';
import { type Fault, invalidRequest } from '../http/problem';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { Route } from '../http/route-policy';
import { renderAgePage } from '../pages/age-page';
import { sendPage } from '../pages/send-page';
import { CHART_POLICY, standaloneChart } from '../pages/standalone-chart';
import { type AgeAnswer, ageAnswer, answerAsCsv, answerAsJson } from './age-answer';
import { askedPath, isStep } from './asked-path';
import { pinRelease } from './lookup-request';
import { readerOf } from './reader';
import { DETAIL, format, MIN_AGE } from './parameters';
import { ageGenderAnswer, MOST_NAME } from './wire-schemas';

const TYPES = { html: 'text/html', json: 'application/json', svg: 'image/svg+xml', csv: 'text/csv' } as const;
type Format = keyof typeof TYPES;
const FORMATS = Object.keys(TYPES) as [Format, ...Format[]];

@Controller('enrich/v1/age_gender')
export class NamePageController {
  constructor(private readonly releases: ReleaseHolder) {}

  @Get('name/:name/date/:date')
  @Route({
    access: 'enrich:read',
    page: true,
    summary: 'Gender and age distribution of one first name at a date, as a page; also as JSON, SVG and CSV.',
    query: [format(...FORMATS), DETAIL, MIN_AGE],
    answers: {
      200: {
        description: 'The page by default. JSON is the bulk result, with detail=true the distribution by birth year.',
        content: { 'text/html': null, 'application/json': ageGenderAnswer, 'image/svg+xml': null, 'text/csv': null },
      },
    },
    problems: ['unavailable'],
  })
  show(
    @Param('name') name: string,
    @Param('date') date: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): string | Buffer {
    const options = optionsOf(request, name, date);
    const release = pinRelease(this.releases, reply);
    const answer = ageAnswer(release, name, date, options.minAge);
    void reply.header('vary', 'Accept');
    return WRITERS[options.format](answer, release, reply, options.detail, request);
  }

  /** Where the form of the page leads: a form cannot put its fields into a path. */
  @Get('ask')
  @Route({
    access: 'public',
    page: true,
    summary: 'Leads the form of the page to the address of its name and date.',
    answers: { 303: { description: 'To the page of the name and date.' } },
  })
  ask(@Query() query: QueryParameters, @Res() reply: FastifyReply): void {
    const parameters = new ParameterReader(query);
    const name = parameters.text('name') ?? ' ';
    const date = parameters.text('date') ?? '';
    if (isStep(name)) parameters.wrong('name', 'must be a name');
    if (Number.isNaN(parseCivilDay(date))) parameters.wrong('date', 'must be a real date yyyy-mm-dd');
    const kept = { min_age: parameters.text('min_age'), apiKey: parameters.text('apiKey') };
    parameters.finish();
    void reply.redirect(askedPath(['age_gender', 'name', name, 'date', date], kept), 303);
  }
}

const WRITERS: Record<
  Format,
  (
    answer: AgeAnswer,
    release: Release,
    reply: FastifyReply,
    detail: boolean,
    request: FastifyRequest,
  ) => string | Buffer
> = {
  html: (answer, release, reply, _detail, request) =>
    sendPage(request, reply, renderAgePage(answer, release, readerOf(request))),
  json: (answer, release, reply, detail) => {
    void reply.header('content-type', 'application/json');
    return answerAsJson(answer, release, detail);
  },
  svg: (answer, release, reply) => {
    void reply.headers({ 'content-type': 'image/svg+xml; charset=utf-8', 'content-security-policy': CHART_POLICY });
    return standaloneChart(answer, release);
  },
  csv: (answer, _release, reply) => {
    void reply.headers({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename=results.csv',
    });
    return answerAsCsv(answer);
  },
};

function optionsOf(
  request: FastifyRequest,
  name: string,
  date: string,
): { format: Format; detail: boolean; minAge: number } {
  const parameters = new ParameterReader(request.query as QueryParameters);
  const faults: Fault[] = [];
  if (name.length > MOST_NAME)
    faults.push({ pointer: '/path/name', detail: `must have at most ${MOST_NAME} characters` });
  if (Number.isNaN(parseCivilDay(date)))
    faults.push({ pointer: '/path/date', detail: 'must be a real date yyyy-mm-dd' });
  const wished = parameters.oneOf('format', FORMATS);
  const minAge = parameters.wholeNumber('min_age', 0, 100) ?? 0;
  const detail = parameters.flag('detail');
  if (faults.length > 0) throw invalidRequest(faults);
  parameters.finish();
  return { format: wished ?? formatOf(request.headers.accept), detail, minAge };
}

function formatOf(accept: string | undefined): Format {
  const type = preferredType(accept, [TYPES.html, TYPES.json, TYPES.svg, TYPES.csv]);
  return FORMATS.find((one) => TYPES[one] === type) ?? 'html';
}
