import { Controller, Get, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { PAGE_POLICY } from '../http/base-headers';
import { type QueryParameters } from '../http/query-parameters';
import { Route } from '../http/route-policy';
import { renderAboutPage } from '../pages/about-page';
import { AboutFactsReader } from './about-facts.reader';

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
  async show(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const { token } = request.query as QueryParameters;
    void reply.headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY });
    return renderAboutPage(await this.about.facts(), {
      origin: originOf(request),
      token: typeof token === 'string' ? token : undefined,
    });
  }
}

const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i;

/** The address by which the reader came; behind a proxy that ends TLS, what the proxy says of it. */
function originOf({ headers, protocol }: FastifyRequest): string {
  const forwarded = String(headers['x-forwarded-proto'] ?? '')
    .split(',')[0]
    .trim();
  const host = headers.host ?? '';
  return `${forwarded === 'https' ? 'https' : protocol}://${HOST.test(host) ? host : 'localhost'}`;
}
