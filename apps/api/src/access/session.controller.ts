import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { KeyRing } from '@donorlens/access-keys';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PAGE_HEADERS } from '../http/base-headers';
import { isNavigation } from '../http/media-types';
import { Problem } from '../http/problem';
import { readBody } from '../http/request-body';
import { Route } from '../http/route-policy';
import { SIGN_IN_PATH } from '../pages/key-prompt';
import { problemPage } from '../pages/problem-page';
import { unauthorized } from './access.hook';
import { localPath } from './local-path';
import { Sessions } from './sessions';
import { cameByHttps, isSameOrigin } from './visitor';

const MOST_FORM = { maxBytes: 16_384, holders: 10, values: 10, advice: 'A form has a key and an address.' };
const FORM = 'application/x-www-form-urlencoded';

/** Entering a key in a browser, and leaving again. */
@Controller('session')
export class SessionController {
  constructor(
    private readonly sessions: Sessions,
    private readonly ring: KeyRing,
  ) {}

  @Post()
  @HttpCode(303)
  @Route({
    access: 'public',
    page: true,
    summary: 'Begins a session in a browser: the form fields `key`, and `next` for where to go.',
    body: { [FORM]: z.object({ key: z.string(), next: z.string().optional() }) },
    answers: {
      303: { description: 'To `next`, with a cookie for twelve hours; a browser with a wrong key to the form again.' },
    },
    problems: ['unauthorized', 'stale-form'],
  })
  async begin(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!isSameOrigin(request)) throw new Problem('stale-form', 'Enter the key on a page of this service.');
    const form = new URLSearchParams((await readBody(request, MOST_FORM)).toString());
    const next = localPath(form.get('next'));
    const identity = await this.ring.authenticate((form.get('key') ?? '').trim());
    if (identity === null) return this.refuse(next, request, reply);
    const cookie = this.sessions.begin(identity, { secure: cameByHttps(request), now: Date.now() });
    void reply.header('set-cookie', cookie).redirect(next, 303);
  }

  @Post('end')
  @HttpCode(303)
  @Route({
    access: 'public',
    page: true,
    summary: 'Ends the session of this browser.',
    answers: { 303: { description: 'To the start page, without the cookie.' } },
  })
  end(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    if (isSameOrigin(request)) void reply.header('set-cookie', this.sessions.ended(cameByHttps(request)));
    void reply.redirect('/', 303);
  }

  /** The form again, with what to look at; for a person at an address of its own, which can be loaded again. */
  private refuse(next: string, request: FastifyRequest, reply: FastifyReply): void {
    if (isNavigation(request.headers)) {
      const query = new URLSearchParams({ wrong: 'true', next });
      void reply.redirect(`${SIGN_IN_PATH}?${query.toString()}`, 303);
      return;
    }
    const page = problemPage(unauthorized(), request.id, { next, wrong: true });
    void reply.code(401).headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(page);
  }
}
