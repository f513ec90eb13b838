import { type Scope } from '@donorlens/access-keys';
import { VERSION } from '@donorlens/observability';
import { type Release } from '@donorlens/reference-data';
import { type ComponentChildren, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type SessionUser, withCsrf } from '../../access/sessions';
import { type ScriptName, scriptPath, STYLESHEET_PATH } from '../assets/assets';
import { DATA_ORIGIN_LABELS } from './labels';

interface LayoutProps {
  readonly title: string;
  /** Null or unset without a session. */
  readonly user?: SessionUser | null;
  /** Item of the navigation to which the page belongs. */
  readonly section?: NavigationPath;
  /** Optional browser modules; every page works without them. */
  readonly scripts?: readonly ScriptName[];
  /** Reload interval of a page; with scripts it applies only if the browser does not run them. */
  readonly refreshSeconds?: number;
  /** Omits the navigation, for a frame on another site. */
  readonly isFramed?: boolean;
  readonly children: ComponentChildren;
}

/** Head, navigation and footer of every page. */
export function Layout({ title, user = null, section, scripts = [], refreshSeconds, ...props }: LayoutProps): VNode {
  const { isFramed = false, children } = props;
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
      {isFramed ? (
        <body class="framed">
          <main>{children}</main>
        </body>
      ) : (
        <body>
          <a class="skip" href="#main">
            Skip to content
          </a>
          <Masthead user={user} section={section} />
          <main id="main">{children}</main>
          <Footer />
        </body>
      )}
    </html>
  );
}

type NavigationPath = '/upload' | '/batches' | '/data-charts/v1/about' | '/#names' | '/ops' | '/docs' | '/guide';

interface NavigationItem {
  readonly path: NavigationPath;
  readonly label: string;
  /** Required scope; unset for public pages. Without a session the link leads to the sign-in form. */
  readonly scope?: Scope;
  /** Shown only with a session. */
  readonly needsSession?: boolean;
}

const NAVIGATION: readonly NavigationItem[] = [
  { path: '/upload', label: 'Upload', scope: 'enrich:batch' },
  { path: '/batches', label: 'Batches', scope: 'enrich:batch', needsSession: true },
  { path: '/data-charts/v1/about', label: 'Charts', scope: 'charts:read' },
  { path: '/#names', label: 'Names', scope: 'enrich:read' },
  { path: '/ops', label: 'Operations', scope: 'ops', needsSession: true },
  { path: '/docs', label: 'API' },
  { path: '/guide', label: 'Guide' },
];

/** Without a session all public features are shown, with a session those that the key permits. */
export const canUse = (user: SessionUser | null, scope: Scope): boolean => user === null || user.scopes.has(scope);

const isShown = ({ scope, needsSession = false }: NavigationItem, user: SessionUser | null): boolean =>
  !(needsSession && user === null) && (scope === undefined || canUse(user, scope));

/** Name and navigation. */
const Masthead = ({ user, section }: Required<Pick<LayoutProps, 'user'>> & Pick<LayoutProps, 'section'>): VNode => (
  <header class="top">
    <a class="brand" href="/">
      donorlens
    </a>
    <nav aria-label="Pages">
      {NAVIGATION.filter((item) => isShown(item, user)).map(({ path, label }) => (
        <a href={path} aria-current={path === section ? 'true' : undefined}>
          {label}
        </a>
      ))}
      {user ? (
        <form method="post" action={withCsrf('/session/end', user)}>
          <button type="submit" class="link" title={`Signed in with the key “${user.keyName}”`}>
            Sign out
          </button>
        </form>
      ) : (
        <a href={SIGN_IN_PATH}>Sign in</a>
      )}
    </nav>
  </header>
);

const FOOTER_LINKS = [
  ['quickstart', 'Quickstart'],
  ['method', 'Method'],
  ['data-dictionary', 'Data dictionary'],
  ['api', 'API guide'],
  ['runbook', 'Runbook'],
] as const;

const Footer = (): VNode => (
  <footer class="foot">
    <nav aria-label="Documentation">
      {FOOTER_LINKS.map(([name, label]) => (
        <a href={`/guide/${name}`}>{label}</a>
      ))}
    </nav>
    <p class="quiet">donorlens {VERSION}</p>
  </footer>
);

export const renderPage = (page: VNode): string => `<!doctype html>\n${renderToString(page)}\n`;

export interface KeyPromptProps {
  /** Path of this service to open after the sign-in. */
  readonly next: string;
  /** True after an invalid key was entered. */
  readonly isKeyInvalid?: boolean;
}

export const SIGN_IN_PATH = '/sign-in';

/** Sign-in form: a session replaces the key, so that no URL contains it. */
export const KeyPrompt = ({ next, isKeyInvalid = false }: KeyPromptProps): VNode => (
  <form class="key" method="post" action="/session">
    <label>
      API key
      <input
        name="key"
        type="password"
        required
        maxLength={200}
        autocomplete="off"
        aria-invalid={isKeyInvalid}
        aria-describedby={isKeyInvalid ? 'wrong-key about-key' : 'about-key'}
      />
    </label>
    <input type="hidden" name="next" value={next} />
    <button type="submit">Sign in</button>
    {isKeyInvalid && (
      <p id="wrong-key" class="notice" role="alert">
        This API key is not valid. Check that it is complete, and that it was not revoked and has not expired.
      </p>
    )}
    <p id="about-key" class="quiet">
      The operator of this service issues keys: <code>npm start</code> prints the first one,{' '}
      <code>bin/donorlens keys issue --name NAME</code> creates more. The session lasts 12 hours.
    </p>
  </form>
);

/** The data release of a result; responses have its id in the header Data-Version. */
export const ReleaseLine = ({ release }: { readonly release: Release }): VNode => (
  <>
    Data release <code>{release.id}</code> ({DATA_ORIGIN_LABELS[release.label]})
  </>
);

/** Notice for pages with figures from the sample release. */
export const SampleNotice = (): VNode => (
  <p class="notice">
    <strong>Synthetic sample data.</strong> These figures describe no real people. Donorlens replaces them as soon as
    the official files are downloaded. If <a href="/ops#data">the download fails</a>, an operator can load the files
    from a folder (<code>DATA_SOURCE</code>).
  </p>
);
