import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Problem } from '../../http/problem';
import { Route } from '../../http/route-policy';
import { CachedText, packed } from '../../http/send-page';
import { SCRIPT_FILES, STYLESHEET, STYLESHEET_NAME } from './assets';

const FILES = new Map(
  [[STYLESHEET_NAME, STYLESHEET] as const, ...SCRIPT_FILES].map(([name, text]) => [name, new CachedText(text)]),
);

@Controller('assets')
export class AssetsController {
  @Get(':file')
  @Route({
    access: 'public',
    summary: 'The stylesheet and the scripts of the pages.',
    answers: {
      200: {
        description: 'The file; its name changes with its content.',
        content: { 'text/css': null, 'text/javascript': null },
      },
    },
  })
  file(
    @Param('file') file: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): string | Buffer {
    const text = FILES.get(file);
    if (text === undefined) throw new Problem('not-found', 'There is no such file.');
    void reply.headers({
      'content-type': file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    return packed(request, reply, text);
  }
}
