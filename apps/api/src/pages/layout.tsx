import { type ComponentChildren, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type Visitor, withCsrf } from '../access/visitor';
import { scriptPath, type ScriptName } from './scripts';
import { STYLESHEET_PATH } from './stylesheet';

interface LayoutProps {
  readonly title: string;
  /** Who has signed in in this browser; null or unset: nobody. */
  readonly visitor?: Visitor | null;
  /** Small modules of ours; every page works without them. */
  readonly scripts?: readonly ScriptName[];
  /** Room for tables that are wider than text. */
  readonly wide?: boolean;
  /** Reloads the page after so many seconds, where no script does it better. */
  readonly refreshSeconds?: number;
  readonly children: ComponentChildren;
}

/** The frame of every page: one stylesheet of ours, hardly a script, nothing from elsewhere. */
export function Layout({ title, visitor = null, scripts = [], wide, refreshSeconds, children }: LayoutProps): VNode {
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
      <body class={wide ? 'broad' : undefined}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header class="top">
          <a class="brand" href="/">
            donorlens
          </a>
          <Navigation visitor={visitor} />
        </header>
        <main id="main">{children}</main>
      </body>
    </html>
  );
}

/** What the visitor's key opens; the documentation opens for everybody. */
const DOORS: readonly (readonly [scope: string | null, path: string, words: string])[] = [
  ['enrich:batch', '/upload', 'Upload'],
  ['enrich:batch', '/batches', 'Batches'],
  ['charts:read', '/data-charts/v1/about', 'Charts'],
  ['ops', '/ops', 'Operations'],
  [null, '/docs', 'API'],
];

const Navigation = ({ visitor }: { readonly visitor: Visitor | null }): VNode => (
  <nav aria-label="Pages">
    {DOORS.filter(([scope]) => scope === null || visitor?.scopes.has(scope)).map(([, path, words]) => (
      <a href={path}>{words}</a>
    ))}
    {visitor && (
      <form method="post" action={withCsrf('/session/end', visitor)}>
        <button type="submit" class="link" title={`Signed in with the key “${visitor.keyName}”`}>
          Sign out
        </button>
      </form>
    )}
  </nav>
);

export const renderPage = (page: VNode): string => `<!doctype html>\n${renderToString(page)}\n`;
