import { Controller, Get, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { renderToString } from 'preact-render-to-string';
import { type VNode } from 'preact';
import { z } from 'zod';
import { counted } from '@donorlens/primitives';
import { identityOf } from '../../access/access.hook';
import { type SessionUser, sessionUserOf } from '../../access/sessions';
import { choice } from '../../charts/list-parameters';
import { readLists } from '../../charts/table-query';
import { ParameterReader, type QueryParameters } from '../../http/query-parameters';
import { Route } from '../../http/route-policy';
import { sendPage } from '../../http/send-page';
import { ImportCommand } from '../charts/data-notices';
import { Layout, renderPage } from '../layout/layout';
import { SearchForm } from '../layout/lookup-forms';
import { type Hit, HIT_KINDS, type HitKind, SearchIndex } from './search-index';

const TEXT = { name: 'q', description: 'The beginnings of words of a name, or an ID.', schema: z.string().max(200) };
const KIND = choice('kind', 'What to search for; repeat it for several.', [...HIT_KINDS], HIT_KINDS.length);

/** Maximum number of hits of one kind. */
const MAX_HITS = 20;
const MAX_SUGGESTIONS = 4;
const MAX_NEAREST = 3;

const OF_DONORS: readonly HitKind[] = ['candidate', 'committee'];
const isOfDonors = ({ kind }: Hit): boolean => OF_DONORS.includes(kind);

/** Search for candidates, committees and names. */
@Controller('search')
export class SearchController {
  constructor(private readonly index: SearchIndex) {}

  @Get()
  @Route({
    access: 'charts:read',
    page: true,
    summary: 'Candidates, committees and names by parts of their names.',
    query: [TEXT],
    answers: { 200: { description: 'A page for people.', content: { 'text/html': null } } },
  })
  async show(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    const { text, kinds } = searchOf(request);
    const hits = text === '' ? [] : await this.index.find(text, kinds, MAX_HITS);
    const missing = hits.length === 0 ? kinds : hits.some(isOfDonors) ? [] : OF_DONORS;
    const near = text === '' ? [] : await this.index.suggest(text, missing, MAX_NEAREST);
    return sendPage(request, reply, renderSearchPage({ text, hits, near, user: sessionUserOf(request) }));
  }

  /** Options for the list of the search script. */
  @Get('suggestions')
  @Route({
    access: 'charts:read',
    page: true,
    summary: 'The first hits as options of a list.',
    query: [TEXT, KIND],
    answers: { 200: { description: 'A part of a page.', content: { 'text/html': null } } },
  })
  async suggestions(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    const { text, kinds } = searchOf(request);
    const hits = await this.index.find(text, kinds, MAX_SUGGESTIONS);
    return sendPage(request, reply, renderToString(<Options hits={hits} />));
  }
}

interface Search {
  readonly text: string;
  readonly kinds: readonly HitKind[];
}

/** Omits names if the key may not look them up. @throws Problem 400 */
function searchOf(request: FastifyRequest): Search {
  const reader = new ParameterReader(request.query as QueryParameters);
  const text = (reader.text('q') ?? '').trim();
  if (text.length > 200) reader.addFault('q', 'must have at most 200 characters');
  const { kind } = readLists(reader, [KIND]);
  reader.finish();
  const hasNames = identityOf(request).scopes.has('enrich:read');
  const allowed = HIT_KINDS.filter((one) => hasNames || !['name', 'surname'].includes(one));
  return { text, kinds: allowed.filter((one) => kind.length === 0 || kind.includes(one)) };
}

interface PageProps {
  readonly text: string;
  readonly hits: readonly Hit[];
  /** Hits with similar spelling, if no candidate or committee is found. */
  readonly near: readonly Hit[];
  readonly user: SessionUser | null;
}

const renderSearchPage = (props: PageProps): string => renderPage(<SearchPage {...props} />);

function SearchPage({ text, hits, near, user }: PageProps): VNode {
  return (
    <Layout title="Search" user={user} section="/data-charts/v1/about" scripts={['search']}>
      <p class="eyebrow">Search</p>
      <h1>{headlineOf(text, hits)}</h1>
      <SearchForm text={text} />
      {isCut(hits) && <p>The first {MAX_HITS} of each kind are shown. Enter more letters to narrow the search.</p>}
      {text !== '' && ![...hits, ...near].some(isOfDonors) && (
        <p>
          Only candidates with loaded contributions are found. Load a cycle: <ImportCommand />
        </p>
      )}
      {GROUPS.map(([kinds, heading]) => {
        const own = hits.filter(({ kind }) => kinds.includes(kind));
        return (
          own.length > 0 && (
            <section>
              <h2>{heading}</h2>
              <Hits hits={own} />
            </section>
          )
        );
      })}
      {near.length > 0 && (
        <section>
          <h2>Did you mean</h2>
          <Hits hits={near} />
        </section>
      )}
    </Layout>
  );
}

const GROUPS: readonly (readonly [readonly HitKind[], string])[] = [
  [['candidate'], 'Candidates'],
  [['committee'], 'Committees'],
  [['name', 'surname'], 'Names'],
];

/** Whether there may be more hits of a kind than the page shows. */
const isCut = (hits: readonly Hit[]): boolean =>
  HIT_KINDS.some((kind) => hits.filter((hit) => hit.kind === kind).length === MAX_HITS);

function headlineOf(text: string, hits: readonly Hit[]): string {
  if (text === '') return 'Find a candidate, a committee or a name';
  if (hits.length === 0) return `No match for “${text}”`;
  return `${isCut(hits) ? 'At least ' : ''}${counted(hits.length, 'match', 'matches')} for “${text}”`;
}

const Hits = ({ hits }: { readonly hits: readonly Hit[] }): VNode => (
  <ul>
    {hits.map(({ label, note, url }) => (
      <li>
        <a href={url}>
          <bdi>{label}</bdi>
        </a>
        , {note}
      </li>
    ))}
  </ul>
);

const Options = ({ hits }: { readonly hits: readonly Hit[] }): VNode => (
  <>
    {hits.map(({ id, label, note, url }, at) => (
      <li role="option" id={`suggestion-${at}`} aria-selected="false" data-id={id} data-url={url}>
        <bdi>{label}</bdi> <span>{note}</span>
      </li>
    ))}
  </>
);
