import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type VNode } from 'preact';
import { type SessionUser, sessionUserOf } from '../../access/sessions';
import { Problem } from '../../http/problem';
import { Route } from '../../http/route-policy';
import { acceptsGzip } from '../../http/media-types';
import { sendPage } from '../../http/send-page';
import { Masthead, renderPage } from '../layout/layout';

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
    const page = sendPage(request, reply, docsPage(sessionUserOf(request)));
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

/**
 * Swagger UI sets element styles by script, which style-src allows, and its icons are data: URLs. No inline or evaluated
 * scripts, no other hosts.
 */
export const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const path = (part: Parameters<typeof docsFile>[0]): string => `/docs/${docsFile(part).name}`;

/** The page of Swagger UI. It has the navigation but not the stylesheet of the other pages, which would conflict. */
export const docsPage = (user: SessionUser | null): string => renderPage(<DocsPage user={user} />);

const DocsPage = ({ user }: { readonly user: SessionUser | null }): VNode => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      <title>API · donorlens</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href={path('swagger-ui.css')} />
      <link rel="stylesheet" href={path('docs.css')} />
      <script src={path('swagger-ui-bundle.js')} defer />
      <script src={path('start.js')} defer />
    </head>
    <body>
      <Masthead user={user} section="/docs" />
      {user && (
        <section class="signed-in" aria-label="Session">
          Signed in with the key <bdi>{user.keyName}</bdi>: requests use that key. Choose <strong>Authorize</strong> to
          use another one.
        </section>
      )}
      <div id="test-page" data-csrf={user?.csrf}>
        <p>
          This page needs JavaScript. See the <a href="/openapi.json">OpenAPI document</a> or the{' '}
          <a href="/guide/api">API guide</a>.
        </p>
      </div>
    </body>
  </html>
);

/** One file of the page; a hash of the content in the name allows browsers to cache it forever. */
export interface DocsFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzip: Buffer;
}

const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' } as const;

/** Paths of the files. */
const SOURCES = {
  'swagger-ui.css': () => require.resolve('swagger-ui-dist/swagger-ui.css'),
  'swagger-ui-bundle.js': () => require.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  'docs.css': () => join(__dirname, 'docs.css'),
  'start.js': () => join(__dirname, 'start.js'),
} as const;

export type DocsPart = keyof typeof SOURCES;

function fileOf(part: DocsPart): DocsFile {
  const bytes = readFileSync(SOURCES[part]());
  const [, stem, extension] = /^(.+)\.(js|css)$/.exec(part) as unknown as [string, string, keyof typeof TYPES];
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 10);
  return { name: `${stem}.${hash}.${extension}`, type: TYPES[extension], bytes, gzip: gzipSync(bytes, { level: 9 }) };
}

const parts = new Map<DocsPart, DocsFile>();

/** Read and compressed on first use, because the files have two megabytes. */
export function docsFile(part: DocsPart): DocsFile {
  const file = parts.get(part) ?? fileOf(part);
  parts.set(part, file);
  return file;
}

export const docsFileNamed = (name: string): DocsFile | undefined =>
  (Object.keys(SOURCES) as DocsPart[]).map(docsFile).find((file) => file.name === name);
