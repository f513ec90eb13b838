import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { FIRST_YEAR, LAST_YEAR } from '@donorlens/primitives';
import { ReleaseHolder } from '@donorlens/reference-data';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Fault, invalidRequest } from '../http/problem';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { Route } from '../http/route-policy';
import { ethnicityPicture, renderEthnicityPage } from '../pages/ethnicity-page';
import { sendPage } from '../pages/send-page';
import { CHART_POLICY } from '../pages/standalone-chart';
import { askedPath, isStep } from './asked-path';
import { ethnicityAnswer } from './ethnicity-answer';
import { ethnicityResult as answerOf } from './ethnicity-results';
import { pinRelease } from './lookup-request';
import { DETAIL, format } from './parameters';
import { readerOf } from './reader';
import { ethnicityResult, MOST_NAME } from './wire-schemas';

const FORMATS = ['json', 'html', 'svg'] as const;

@Controller('enrich/v1/ethnicity')
export class SurnamePageController {
  constructor(private readonly releases: ReleaseHolder) {}

  @Get('surname/:surname/year/:year')
  @Route({
    access: 'enrich:read',
    page: true,
    summary: 'Ethnicity of one surname; with a format also as a page or a picture.',
    query: [format(...FORMATS), DETAIL],
    answers: {
      200: {
        description: 'The result, as JSON also for a browser: only `format` gives the page.',
        content: { 'application/json': ethnicityResult, 'text/html': null, 'image/svg+xml': null },
      },
    },
    problems: ['unavailable'],
  })
  show(
    @Param('surname') surname: string,
    @Param('year') yearText: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): string | Buffer {
    const parameters = new ParameterReader(request.query as QueryParameters);
    const wished = parameters.oneOf('format', FORMATS) ?? 'json';
    const detail = parameters.flag('detail');
    parameters.finish();
    const year = checkedYear(surname, yearText);
    const release = pinRelease(this.releases, reply);
    if (wished === 'json') {
      void reply.header('content-type', 'application/json');
      return answerOf({ surname, year }, release, detail);
    }
    const answer = ethnicityAnswer(release, surname, year);
    if (wished === 'html') return sendPage(request, reply, renderEthnicityPage(answer, release, readerOf(request)));
    void reply.headers({ 'content-type': 'image/svg+xml; charset=utf-8', 'content-security-policy': CHART_POLICY });
    return ethnicityPicture(answer, release);
  }

  /** Where the form of the page leads: a form cannot put its fields into a path. */
  @Get('ask')
  @Route({
    access: 'public',
    page: true,
    summary: 'Leads the form of the page to the address of its surname and year.',
    answers: { 303: { description: 'To the page of the surname and year.' } },
  })
  ask(@Query() query: QueryParameters, @Res() reply: FastifyReply): void {
    const parameters = new ParameterReader(query);
    const surname = parameters.text('surname') ?? ' ';
    const year = parameters.wholeNumber('year', FIRST_YEAR, LAST_YEAR);
    if (isStep(surname)) parameters.wrong('surname', 'must be a surname');
    if (parameters.text('year') === undefined) parameters.wrong('year', 'must be given');
    const kept = { format: 'html', apiKey: parameters.text('apiKey') };
    parameters.finish();
    void reply.redirect(askedPath(['ethnicity', 'surname', surname, 'year', String(year)], kept), 303);
  }
}

function checkedYear(surname: string, text: string): number {
  const faults: Fault[] = [];
  const year = /^\d{4}$/.test(text) ? Number(text) : NaN;
  if (!(year >= FIRST_YEAR))
    faults.push({ pointer: '/path/year', detail: `must be a year from ${FIRST_YEAR} to ${LAST_YEAR}` });
  if (surname.length > MOST_NAME)
    faults.push({ pointer: '/path/surname', detail: `must have at most ${MOST_NAME} characters` });
  if (faults.length > 0) throw invalidRequest(faults);
  return year;
}
