import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { sessionUserOf } from '../../access/sessions';
import { Problem } from '../../http/problem';
import { Route, RouteTable } from '../../http/route-policy';
import { acceptsGzip } from '../../http/media-types';
import { sendPage } from '../../http/send-page';
import { isDocumented } from '../../openapi/openapi-document';
import { renderPage } from '../layout/layout';
import { docsFileNamed } from './docs-files';
import { DocsPage } from './docs-page';

@Controller('docs')
export class DocsController {
  constructor(private readonly routes: RouteTable) {}

  @Get()
  @Route({
    access: 'public',
    page: true,
    summary: 'All endpoints, with forms to send requests.',
    answers: {
      200: {
        description: 'The list of endpoints. Its links load Swagger UI over /openapi.json.',
        content: { 'text/html': null },
      },
    },
  })
  page(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string | Buffer {
    const routes = this.routes.routes.filter(isDocumented);
    return sendPage(request, reply, renderPage(<DocsPage user={sessionUserOf(request)} routes={routes} />));
  }

  @Get(':file')
  @Route({
    access: 'public',
    summary: 'Script and stylesheets of the API reference.',
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
