import { type VNode } from 'preact';
import { type SessionUser } from '../../access/sessions';
import { type DocumentedRoute, operationId, pathOf, tagOf, tagsOf } from '../../openapi/openapi-document';
import { Layout } from '../layout/layout';
import { docsPath } from './docs-files';

interface DocsPageProps {
  readonly user: SessionUser | null;
  readonly routes: readonly DocumentedRoute[];
}

/** All endpoints. The script replaces the list by Swagger UI, which has half a megabyte, when a link is followed. */
export const DocsPage = ({ user, routes }: DocsPageProps): VNode => (
  <Layout title="API" user={user} section="/docs" scripts={['request-forms']}>
    {user && (
      <section class="signed-in" aria-label="Session">
        Signed in with the key <bdi>{user.keyName}</bdi>: requests use that key. To use another one, choose an endpoint,
        then <strong>Authorize</strong>.
      </section>
    )}
    <div
      id="request-forms"
      data-csrf={user?.csrf}
      data-script={docsPath('swagger-ui-bundle.js')}
      data-styles={`${docsPath('swagger-ui.css')} ${docsPath('docs.css')}`}
    >
      <h1>API reference</h1>
      <p>
        Choose an endpoint to see its parameters and to send requests, which needs JavaScript. See also the{' '}
        <a href="/guide/api">API guide</a> and the <a href="/openapi.json">OpenAPI document</a>.
      </p>
      <p role="status" />
      {tagsOf(routes.map(({ template }) => template)).map((tag) => (
        <Endpoints {...tag} routes={routes.filter(({ template }) => tagOf(template) === tag.name)} />
      ))}
    </div>
  </Layout>
);

/** Swagger UI gives this id to an endpoint. */
const anchorOf = (tag: string, { method, template }: DocumentedRoute): string =>
  `operations-${tag.replaceAll(' ', '_')}-${operationId(method, template)}`;

/** The path, which may break after each slash. */
const breakable = (template: string): VNode[] =>
  pathOf(template)
    .split(/(?<=\/)/)
    .map((part) => (
      <>
        {part}
        <wbr />
      </>
    ));

interface EndpointsProps {
  readonly name: string;
  /** Text with code in backticks. */
  readonly description: string;
  readonly routes: readonly DocumentedRoute[];
}

const Endpoints = ({ name, description, routes }: EndpointsProps): VNode => (
  <section>
    <h2>{name}</h2>
    <p>{description.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</p>
    <ul class="endpoints">
      {routes.map((route) => (
        <li>
          <a href={`#${anchorOf(name, route)}`}>
            <strong>{route.method}</strong> <code>{breakable(route.template)}</code>
          </a>{' '}
          {route.policy.summary}
        </li>
      ))}
    </ul>
  </section>
);
