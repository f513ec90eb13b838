import { type ComponentChildren, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type Visitor, withCsrf } from '../access/visitor';
import { type Scope } from '../http/route-policy';
import { SIGN_IN_PATH } from './key-prompt';
import { scriptPath, type ScriptName } from './scripts';
import { STYLESHEET_PATH } from './stylesheet';

interface LayoutProps {
  readonly title: string;
  /** Who has signed in in this browser; null or unset: nobody. */
  readonly visitor?: Visitor | null;
  /** Small modules of ours; every page works without them. */
  readonly scripts?: readonly ScriptName[];
  /** Reloads the page after so many seconds, where no script does it better. */
  readonly refreshSeconds?: number;
  readonly children: ComponentChildren;
}

/** The frame of every page: one stylesheet of ours, hardly a script, nothing from elsewhere. */
export function Layout({ title, visitor = null, scripts = [], refreshSeconds, children }: LayoutProps): VNode {
  const refresh = refreshSeconds !== undefined && <meta http-equiv="refresh" content={String(refreshSeconds)} />;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        {refresh && (scripts.length > 0 ? <noscript>{refresh}</noscript> : refresh)}
        <title>{`${title} · donorlens`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={STYLESHEET_PATH} />
        {scripts.map((name) => (
          <script type="module" src={scriptPath(name)} />
        ))}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <Masthead visitor={visitor} />
        <main id="main">{children}</main>
        <Footer />
      </body>
    </html>
  );
}

interface Door {
  readonly path: string;
  readonly words: string;
  /** What a key needs to open it; unset: it is open. Without a key it leads to the sign-in, and on from there. */
  readonly scope?: Scope;
  /** Of use to somebody who has signed in. */
  readonly isOwn?: boolean;
}

const DOORS: readonly Door[] = [
  { path: '/upload', words: 'Upload', scope: 'enrich:batch' },
  { path: '/batches', words: 'Batches', scope: 'enrich:batch', isOwn: true },
  { path: '/data-charts/v1/about', words: 'Charts', scope: 'charts:read' },
  { path: '/#names', words: 'Names' },
  { path: '/ops', words: 'Operations', scope: 'ops', isOwn: true },
  { path: '/docs', words: 'API' },
  { path: '/guide', words: 'Guide' },
];

/** Everything there is for somebody who has not signed in yet, and what the key opens for somebody who has. */
const isShown = ({ scope, isOwn = false }: Door, visitor: Visitor | null): boolean =>
  visitor === null ? !isOwn : scope === undefined || visitor.scopes.has(scope);

/** The head of every page: the name, and where one can go. */
export const Masthead = ({ visitor }: { readonly visitor: Visitor | null }): VNode => (
  <header class="top">
    <a class="brand" href="/">
      donorlens
    </a>
    <nav aria-label="Pages">
      {DOORS.filter((door) => isShown(door, visitor)).map(({ path, words }) => (
        <a href={path}>{words}</a>
      ))}
      {visitor ? (
        <form method="post" action={withCsrf('/session/end', visitor)}>
          <button type="submit" class="link" title={`Signed in with the key “${visitor.keyName}”`}>
            Sign out
          </button>
        </form>
      ) : (
        <a href={SIGN_IN_PATH}>Sign in</a>
      )}
    </nav>
  </header>
);

const READING = [
  ['quickstart', 'Three ways to begin'],
  ['method', 'How it is estimated'],
  ['data-dictionary', 'What the columns mean'],
  ['api', 'API guide'],
  ['runbook', 'Runbook'],
] as const;

const Footer = (): VNode => (
  <footer class="foot">
    <nav aria-label="Reading">
      {READING.map(([name, words]) => (
        <a href={`/guide/${name}`}>{words}</a>
      ))}
    </nav>
  </footer>
);

export const renderPage = (page: VNode): string => `<!doctype html>\n${renderToString(page)}\n`;
