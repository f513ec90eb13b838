import { type ComponentChildren, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { STYLESHEET_PATH } from './stylesheet';

interface LayoutProps {
  readonly title: string;
  /** Reloads the page after so many seconds. */
  readonly refreshSeconds?: number;
  readonly children: ComponentChildren;
}

/** The frame of every page: no script, one stylesheet of ours, nothing from elsewhere. */
export function Layout({ title, refreshSeconds, children }: LayoutProps): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        {refreshSeconds !== undefined && <meta http-equiv="refresh" content={String(refreshSeconds)} />}
        <title>{`${title} · donorlens`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={STYLESHEET_PATH} />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header class="top">
          <a class="brand" href="/">
            donorlens
          </a>
        </header>
        <main id="main">{children}</main>
      </body>
    </html>
  );
}

export const renderPage = (page: VNode): string => `<!doctype html>\n${renderToString(page)}\n`;
