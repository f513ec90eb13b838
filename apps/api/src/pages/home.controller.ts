import { Controller, Get, Res } from '@nestjs/common';
import { ReleaseHolder } from '@donorlens/reference-data';
import { type FastifyReply } from 'fastify';
import { PAGE_POLICY } from '../http/base-headers';
import { Route } from '../http/route-policy';
import { renderHomePage } from './home-page';

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
  home(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY });
    return renderHomePage(this.releases.current());
  }
}
