import { type VNode } from 'preact';
import { type Visitor } from '../access/visitor';
import { Layout, renderPage } from '../pages/layout';
import { guidePath, SHELVES, shortTitle } from './documents';
import { type Rendered } from './markdown';

/** A longer list of parts stands folded above the text. */
const FEW = 3;

interface GuideProps {
  readonly name: string;
  readonly document: Rendered;
  readonly visitor: Visitor | null;
}

/** One document of the project, beside all the others. */
export const renderGuidePage = ({ name, document, visitor }: GuideProps): string =>
  renderPage(
    <Layout title={document.title} visitor={visitor}>
      <div class="guide">
        <Shelves current={name} />
        <article>
          {document.headings.length > FEW && <Parts {...document} />}
          <div class="text" dangerouslySetInnerHTML={{ __html: document.html }} />
        </article>
      </div>
    </Layout>,
  );

const Shelves = ({ current }: { readonly current: string }): VNode => (
  <nav class="shelves" aria-label="Guide">
    {SHELVES.map(({ words, names }) => (
      <section>
        <p>{words}</p>
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

const Parts = ({ headings }: Pick<Rendered, 'headings'>): VNode => (
  <details class="parts">
    <summary>On this page</summary>
    <ul>
      {headings.map(({ id, words }) => (
        <li>
          <a href={`#${id}`}>{words}</a>
        </li>
      ))}
    </ul>
  </details>
);
