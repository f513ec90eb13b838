import { Controller, Get, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { Route } from '../http/route-policy';
import { RouteTable } from '../http/route-table';
import { openApiDocument } from './openapi-document';

@Controller()
export class OpenApiController {
  private text: string | undefined;

  constructor(private readonly routes: RouteTable) {}

  @Get('openapi.json')
  @Route({
    access: 'public',
    summary: 'This document.',
    answers: { 200: { description: 'OpenAPI 3.1.', content: { 'application/json': null } } },
  })
  document(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.headers({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    });
    this.text ??= JSON.stringify(openApiDocument(this.routes.routes));
    return this.text;
  }
}
