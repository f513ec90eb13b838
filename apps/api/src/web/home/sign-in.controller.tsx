import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { unauthorized } from '../../access/access.hook';
import { Sessions, type SessionUser, sessionUserOf } from '../../access/sessions';
import { KeyAuthenticator } from '../../access/wrong-keys';
import { pageHeadersOf } from '../../http/send-page';
import { isNavigation } from '../../http/media-types';
import { Problem } from '../../http/problem';
import { ParameterReader, type QueryParameters } from '../../http/query-parameters';
import { readBody } from '../../http/request-body';
import { isHttps, isSameOrigin, localPath } from '../../http/request-origin';
import { Route } from '../../http/route-policy';
import { sendPage } from '../../http/send-page';
import { KeyPrompt, type KeyPromptProps, Layout, renderPage, SIGN_IN_PATH } from '../layout/layout';
import { problemPage } from '../layout/problem-page';

const MAX_FORM = { maxBytes: 16_384, containers: 10, values: 10, advice: 'The form has a key and a path.' };
const FORM = 'application/x-www-form-urlencoded';

/** Start and end of a browser session. */
@Controller('session')
export class SessionController {
  constructor(
    private readonly sessions: Sessions,
    private readonly keys: KeyAuthenticator,
  ) {}

  @Post()
  @HttpCode(303)
  @Route({
    access: 'public',
    page: true,
    summary: 'Begins a session in a browser: the form fields `key`, and `next` for where to go.',
    body: { [FORM]: z.object({ key: z.string(), next: z.string().optional() }) },
    answers: {
      303: {
        description:
          'To `next` with a session cookie for 12 hours; with an invalid key, a browser is sent back to the form.',
      },
    },
    problems: ['unauthorized', 'stale-form', 'rate-limited', 'unavailable'],
  })
  async begin(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!isSameOrigin(request)) throw new Problem('stale-form', 'Enter the key on a page of this service.');
    const form = new URLSearchParams((await readBody(request, MAX_FORM)).toString());
    const next = localPath(form.get('next'));
    const identity = await this.keys.authenticate((form.get('key') ?? '').trim(), request.ip);
    if (identity === null) return this.refuse(next, request, reply);
    const cookie = this.sessions.createCookie(identity, { secure: isHttps(request), now: Date.now() });
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
    if (isSameOrigin(request)) void reply.header('set-cookie', this.sessions.createExpiredCookie(isHttps(request)));
    void reply.redirect('/', 303);
  }

  /** Shows the form again with an error. Browsers are redirected to it, so that they can reload the page. */
  private refuse(next: string, request: FastifyRequest, reply: FastifyReply): void {
    if (isNavigation(request.headers)) {
      const query = new URLSearchParams({ wrong: 'true', next });
      void reply.redirect(`${SIGN_IN_PATH}?${query.toString()}`, 303);
      return;
    }
    const page = problemPage(unauthorized(), request.id, { prompt: { next, isKeyInvalid: true } });
    void reply.code(401).headers(pageHeadersOf(request)).type('text/html; charset=utf-8').send(page);
  }
}

/** The sign-in form. */
@Controller('sign-in')
export class SignInController {
  @Get()
  @Route({
    access: 'public',
    page: true,
    summary: 'The page where a key is entered.',
    query: [
      { name: 'next', description: 'Path of this service to open after the sign-in.', schema: z.string() },
      { name: 'wrong', description: 'Whether an invalid key was just entered.', schema: z.boolean() },
    ],
    answers: { 200: { description: 'A form.', content: { 'text/html': null } } },
  })
  show(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string | Buffer {
    const parameters = new ParameterReader(request.query as QueryParameters);
    const next = localPath(parameters.text('next'));
    const wrong = parameters.flag('wrong');
    parameters.finish();
    return sendPage(request, reply, renderSignInPage({ next, isKeyInvalid: wrong }, sessionUserOf(request)));
  }
}

const renderSignInPage = (prompt: KeyPromptProps, user: SessionUser | null): string =>
  renderPage(
    <Layout title="Sign in" user={user}>
      <h1>Sign in</h1>
      <p class="lede">
        {user
          ? `You are signed in with the key “${user.keyName}”. A new sign-in replaces it.`
          : 'Lookups, batches and charts require an API key. The guide and the API reference are public.'}
      </p>
      <KeyPrompt {...prompt} />
    </Layout>,
  );
