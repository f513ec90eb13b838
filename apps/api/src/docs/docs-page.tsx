import { type VNode } from 'preact';
import { type Visitor } from '../access/visitor';
import { Masthead, renderPage } from '../pages/layout';
import { docsFile } from './swagger-files';

/**
 * Swagger UI sets styles of elements by script, which a policy for stylesheets allows; its icons are data: URLs in its stylesheet.
 * Nothing inline, nothing evaluated, nothing from elsewhere.
 */
export const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const path = (part: Parameters<typeof docsFile>[0]): string => `/docs/${docsFile(part).name}`;

/** The frame in which Swagger UI draws itself. Its stylesheet and that of our pages would spoil each other: it has the head of a page, and no more. */
export const docsPage = (visitor: Visitor | null): string => renderPage(<DocsPage visitor={visitor} />);

const DocsPage = ({ visitor }: { readonly visitor: Visitor | null }): VNode => (
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
      <Masthead visitor={visitor} />
      {visitor && (
        <p class="signed-in">
          You are signed in as <bdi>{visitor.keyName}</bdi>: examples are sent with that key. <strong>Authorize</strong>{' '}
          sends another one instead.
        </p>
      )}
      <div id="test-page" data-csrf={visitor?.csrf}>
        <p>
          This page needs JavaScript. The same is said, for programs, at <a href="/openapi.json">/openapi.json</a>, and
          in words in <a href="/guide/api">the guide</a>.
        </p>
      </div>
    </body>
  </html>
);
