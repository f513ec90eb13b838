import { Controller, Get, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { localPath } from '../access/local-path';
import { visitorOf } from '../access/visitor';
import { ParameterReader, type QueryParameters } from '../http/query-parameters';
import { Route } from '../http/route-policy';
import { sendPage } from './send-page';
import { renderSignInPage } from './sign-in-page';

@Controller('sign-in')
export class SignInController {
  @Get()
  @Route({
    access: 'public',
    page: true,
    summary: 'The page where a key is entered.',
    query: [
      { name: 'next', description: 'Where to go on afterwards: a path of this service.', schema: z.string() },
      { name: 'wrong', description: 'Says that a key was just entered that opens nothing.', schema: z.boolean() },
    ],
    answers: { 200: { description: 'A form.', content: { 'text/html': null } } },
  })
  show(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string | Buffer {
    const parameters = new ParameterReader(request.query as QueryParameters);
    const next = localPath(parameters.text('next'));
    const wrong = parameters.flag('wrong');
    parameters.finish();
    return sendPage(request, reply, renderSignInPage({ next, wrong }, visitorOf(request)));
  }
}
