import { Controller, Get, Req, Res } from '@nestjs/common';
import { ReleaseHolder } from '@donorlens/reference-data';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { visitorOf } from '../access/visitor';
import { originOf } from '../http/origin';
import { Route } from '../http/route-policy';
import { renderHomePage } from './home-page';
import { sendPage } from './send-page';
import { isoDay } from './words';

@Controller()
export class HomeController {
  constructor(private readonly releases: ReleaseHolder) {}

  @Get()
  @Route({
    access: 'public',
    page: true,
    summary: 'The start page.',
    answers: { 200: { description: 'A page that says what this is and links on.', content: { 'text/html': null } } },
  })
  home(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string | Buffer {
    const facts = { origin: originOf(request), visitor: visitorOf(request), today: isoDay(new Date()) };
    return sendPage(request, reply, renderHomePage({ release: this.releases.current(), ...facts }));
  }
}
