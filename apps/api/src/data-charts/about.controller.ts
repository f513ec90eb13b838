import { Controller, Get, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Route } from '../http/route-policy';
import { eachInTurn } from '../http/turns';
import { renderAboutPage } from '../pages/about-page';
import { sendPage } from '../pages/send-page';
import { AboutFactsReader } from './about-facts.reader';
import { visitOf } from './visit-of';

@Controller('data-charts/v1')
export class AboutController {
  constructor(private readonly about: AboutFactsReader) {}

  @Get('about')
  @Route({
    access: 'charts:read',
    page: true,
    summary:
      'Instructions: the files, working examples, columns, what is loaded, how it is counted, sources and limits.',
    answers: { 200: { description: 'A page for people.', content: { 'text/html': null } } },
    problems: ['unavailable'],
  })
  async show(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    return sendPage(request, reply, renderAboutPage(await eachInTurn(this.about.facts(), request), visitOf(request)));
  }
}
