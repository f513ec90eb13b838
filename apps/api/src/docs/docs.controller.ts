import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { visitorOf } from '../access/visitor';
import { acceptsGzip } from '../http/accepts-gzip';
import { Problem } from '../http/problem';
import { Route } from '../http/route-policy';
import { sendPage } from '../pages/send-page';
import { DOCS_POLICY, docsPage } from './docs-page';
import { docsFileNamed } from './swagger-files';

@Controller('docs')
export class DocsController {
  @Get()
  @Route({
    access: 'public',
    page: true,
    summary: 'The interactive test page.',
    answers: { 200: { description: 'Swagger UI over /openapi.json.', content: { 'text/html': null } } },
  })
  page(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string | Buffer {
    const page = sendPage(request, reply, docsPage(visitorOf(request)));
    void reply.header('content-security-policy', DOCS_POLICY);
    return page;
  }

  @Get(':file')
  @Route({
    access: 'public',
    summary: 'Scripts and stylesheets of the test page.',
    answers: {
      200: {
        description: 'The file; its name changes with its content.',
        content: { 'text/css': null, 'text/javascript': null },
      },
    },
  })
  file(
    @Param('file') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Buffer {
    const file = docsFileNamed(name);
    if (file === undefined) throw new Problem('not-found', 'There is no such file.');
    const gzip = acceptsGzip(request.headers);
    void reply.headers({
      'content-type': file.type,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
      ...(gzip && { 'content-encoding': 'gzip' }),
    });
    return gzip ? file.gzip : file.bytes;
  }
}
