import { Controller, Get, Param, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { Problem } from '../http/problem';
import { Route } from '../http/route-policy';
import { STYLESHEET, STYLESHEET_NAME } from './stylesheet';

@Controller('assets')
export class AssetsController {
  @Get(':file')
  @Route({
    access: 'public',
    summary: 'The stylesheet of the pages.',
    answers: {
      200: { description: 'The stylesheet; its name changes with its content.', content: { 'text/css': null } },
    },
  })
  file(@Param('file') file: string, @Res({ passthrough: true }) reply: FastifyReply): string {
    if (file !== STYLESHEET_NAME) throw new Problem('not-found', 'There is no such file.');
    void reply.headers({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    return STYLESHEET;
  }
}
