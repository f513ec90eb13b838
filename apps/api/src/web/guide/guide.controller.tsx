import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type VNode } from 'preact';
import { type SessionUser, sessionUserOf } from '../../access/sessions';
import { Problem } from '../../http/problem';
import { Route } from '../../http/route-policy';
import { packed, sendPage } from '../../http/send-page';
import { Layout, renderPage } from '../layout/layout';
import { Documents, type Rendered, SECTIONS, guidePath, shortTitle } from './documents';

const FIRST = 'quickstart';
/** SVG files have inline styles and need no other file. */
const PICTURE_HEADERS = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'cache-control': 'public, max-age=3600',
  vary: 'Accept-Encoding',
};

/** The documents of the project as public pages. They contain no data of the installation. */
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
    const document = this.documents.find(name);
    if (document === undefined) throw new Problem('not-found', 'The guide has no such page.');
    return sendPage(request, reply, renderGuidePage({ name, document, user: sessionUserOf(request) }));
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

/** A page with more headings has a list of them. */
const MAX_HEADINGS = 3;

interface GuideProps {
  readonly name: string;
  readonly document: Rendered;
  readonly user: SessionUser | null;
}

/** One document with the navigation of the guide. */
export const renderGuidePage = ({ name, document, user }: GuideProps): string =>
  renderPage(
    <Layout title={document.title} user={user} section="/guide">
      <div class="guide">
        <Navigation current={name} />
        <article>
          {document.headings.length > MAX_HEADINGS && <Contents {...document} />}
          <div class="text" dangerouslySetInnerHTML={{ __html: document.html }} />
        </article>
      </div>
    </Layout>,
  );

const Navigation = ({ current }: { readonly current: string }): VNode => (
  <nav class="shelves" aria-label="Guide">
    {SECTIONS.map(({ label, names }) => (
      <section>
        <p>{label}</p>
        <ul>
          {names.map((name) => (
            <li>
              <a href={guidePath(name)} aria-current={name === current ? 'page' : undefined}>
                {shortTitle(name)}
              </a>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </nav>
);

const Contents = ({ headings }: Pick<Rendered, 'headings'>): VNode => (
  <details class="parts">
    <summary>On this page</summary>
    <ul>
      {headings.map(({ id, text }) => (
        <li>
          <a href={`#${id}`}>{text}</a>
        </li>
      ))}
    </ul>
  </details>
);
