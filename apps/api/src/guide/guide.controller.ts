import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { visitorOf } from '../access/visitor';
import { Problem } from '../http/problem';
import { Route } from '../http/route-policy';
import { packed, sendPage } from '../pages/send-page';
import { Documents } from './documents';
import { renderGuidePage } from './guide-page';

const FIRST = 'quickstart';
/** A drawing has its styles inside itself, and needs nothing else where it is opened alone. */
const PICTURE_HEADERS = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'cache-control': 'public, max-age=3600',
  vary: 'Accept-Encoding',
};

/** The project's own documents, for whoever has no clone of it. They hold nothing of an installation, and need no key. */
@Controller('guide')
export class GuideController {
  private readonly documents = new Documents();

  @Get()
  @Route({
    access: 'public',
    page: true,
    summary: 'The guide, from its beginning.',
    answers: { 200: { description: 'Three ways to begin.', content: { 'text/html': null } } },
  })
  begin(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string | Buffer {
    return this.page(FIRST, request, reply);
  }

  @Get(':name')
  @Route({
    access: 'public',
    page: true,
    summary: 'A document of the project.',
    answers: { 200: { description: 'The document as a page.', content: { 'text/html': null } } },
  })
  page(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): string | Buffer {
    const document = this.documents.of(name);
    if (document === undefined) throw new Problem('not-found', 'The guide has no such page.');
    return sendPage(request, reply, renderGuidePage({ name, document, visitor: visitorOf(request) }));
  }

  @Get('images/:file')
  @Route({
    access: 'public',
    summary: 'A drawing of the guide.',
    answers: { 200: { description: 'The drawing.', content: { 'image/svg+xml': null } } },
  })
  picture(
    @Param('file') file: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): string | Buffer {
    const picture = this.documents.picture(file);
    if (picture === undefined) throw new Problem('not-found', 'The guide has no such drawing.');
    void reply.headers(PICTURE_HEADERS);
    return packed(request, reply, picture);
  }
}
