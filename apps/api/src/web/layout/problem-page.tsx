import { type FastifyRequest } from 'fastify';
import { type ComponentChildren, type VNode } from 'preact';
import { ADULT_AGE } from '@donorlens/demographics';
import { presentedKey } from '../../access/access.hook';
import { type SessionUser, sessionUserOf } from '../../access/sessions';
import { type Problem, type ProblemCode } from '../../http/problem';
import { localPath } from '../../http/request-origin';
import { requestPolicy } from '../../http/route-policy';
import { duration } from './labels';
import { canUse, KeyPrompt, type KeyPromptProps, Layout, renderPage } from './layout';
import { NameForm, SurnameForm } from './lookup-forms';

/** Reload interval of the page, in seconds, without a Retry-After header. */
const DEFAULT_RELOAD_SECONDS = 5;

interface ProblemPageOptions {
  readonly prompt?: KeyPromptProps;
  readonly user?: SessionUser | null;
  /** omits links, which a frame on another site cannot follow */
  readonly isFramed?: boolean;
  /** parameters of the request, which its form shows again */
  readonly given?: Readonly<Record<string, unknown>>;
  /** path and query of the request */
  readonly path?: string;
  /** True for a sent form: the browser would reload its address without the form. */
  readonly isForm?: boolean;
}

/** A problem as a page: what happened, invalid fields, next steps, and the request id for support. */
export const problemPage = (
  problem: Problem,
  requestId: string,
  { prompt, user = null, isFramed = false, given = {}, path = '/', isForm = false }: ProblemPageOptions = {},
): string =>
  renderPage(
    <Layout
      title={problem.title}
      user={user}
      isFramed={isFramed}
      refreshSeconds={
        problem.code === 'unavailable' && !isForm ? (retryAfter(problem) ?? DEFAULT_RELOAD_SECONDS) : undefined
      }
    >
      <p class="eyebrow">Error {problem.status}</p>
      <h1>{problem.title}</h1>
      {problem.parts.faults?.length !== 1 && (
        <p class="lede">{problem.code === 'unauthorized' ? 'Enter your API key to continue.' : problem.detail}</p>
      )}
      <Faults problem={problem} />
      {!isFramed && <NextStep problem={problem} isForm={isForm} />}
      {!isFramed && <FormAgain problem={problem} given={given} />}
      {prompt && <KeyPrompt {...prompt} />}
      {!isFramed && <Links problem={problem} path={path} user={user} />}
      {problem.status >= 500 && (
        <p class="quiet">
          Request ID <code>{requestId}</code>
        </p>
      )}
    </Layout>,
  );

/** The page for a failed request. If the key is missing or lacks a scope, the page asks for a key and then returns. */
export function problemPageOf(request: FastifyRequest, problem: Problem): string {
  const { code } = problem;
  const next = localPath(request.method === 'GET' ? request.url : '/');
  const given = Object.assign({}, request.params, request.query);
  const isKeyInvalid = code === 'unauthorized' && presentedKey(request) !== undefined;
  const prompt = code === 'unauthorized' || code === 'missing-scope' ? { next, isKeyInvalid } : undefined;
  const isFramed = requestPolicy(request)?.page === 'framed';
  const path = localPath(request.url);
  const isForm = request.method !== 'GET' && request.method !== 'HEAD';
  return problemPage(problem, request.id, { prompt, user: sessionUserOf(request), isFramed, given, path, isForm });
}

const Faults = ({ problem: { parts } }: { readonly problem: Problem }): VNode | null =>
  parts.faults ? (
    <ul class="faults">
      {parts.faults.map(({ pointer, detail }) => (
        <li>
          <Pointer of={pointer} /> {detail}
        </li>
      ))}
    </ul>
  ) : null;

/** Labels of the form fields. */
const FIELD_LABELS: Readonly<Record<string, string>> = {
  '/path/name': 'First name',
  '/path/date': 'Date',
  '/path/surname': 'Surname',
  '/path/year': 'Year',
  '/query/name': 'First name',
  '/query/date': 'Date',
  '/query/surname': 'Surname',
  '/query/year': 'Year',
  '/query/min_age': 'Minimum age',
  '/query/compare': '“Compare with the first name”',
  '/query/q': 'Search text',
  '/query/age_basis': '“Ages of”',
  '/query/ethnicity_basis': '“Ethnicity by”',
};

/** A field of a form by its label, any other by its name. */
export const Pointer = ({ of }: { readonly of: string }): VNode =>
  Object.hasOwn(FIELD_LABELS, of) ? (
    <strong>{FIELD_LABELS[of]}</strong>
  ) : (
    <code>{of.replace(/^\/(?:path|query|header)\//, '')}</code>
  );

interface NextStepProps {
  readonly problem: Problem;
  readonly isForm: boolean;
}

function NextStep({ problem, isForm }: NextStepProps): VNode | null {
  const step = nextStep(problem, isForm);
  return step === undefined ? null : <p>{step}</p>;
}

type FormAgainProps = Required<Pick<ProblemPageOptions, 'given'>> & { readonly problem: Problem };

/** Repeats the form with its values if one of its fields is invalid. */
function FormAgain({ problem: { parts }, given }: FormAgainProps): VNode | null {
  const fields = (parts.faults ?? []).map(({ pointer }) => FIELD_LABELS[pointer]);
  const textOf = (name: string): string | undefined => (typeof given[name] === 'string' ? given[name] : undefined);
  if (fields.includes('Surname') || fields.includes('Year'))
    return (
      <SurnameForm apiKey={textOf('apiKey')} surname={textOf('surname')} year={Number(textOf('year')) || undefined} />
    );
  if (!['First name', 'Date', 'Minimum age'].some((field) => fields.includes(field))) return null;
  const date = fields.includes('Date') ? undefined : textOf('date'); // browsers log a warning for an invalid one
  return (
    <NameForm
      apiKey={textOf('apiKey')}
      name={textOf('name')}
      date={date}
      minAge={Number(textOf('min_age') ?? ADULT_AGE)}
    />
  );
}

/** The page that a request belongs to, by the path of the request. */
const PARENT_PAGES: readonly (readonly [path: RegExp, href: string, text: string])[] = [
  [/^\/(?:enrich\/v1\/)?batches\/([\da-f-]{36})(?=[/?]|$).*/i, '/enrich/v1/batches/$1?format=html', 'Batch page'],
  [/^\/batches(?=[/?]|$).*/, '/batches', 'All batches'],
  [/^\/(?:data-charts|compare|candidates|search)(?=[/?]|$).*/, '/data-charts/v1/about', 'All candidates'],
  [/^\/ops(?=[/?]|$).*/, '/ops', 'Operations console'],
];

const pathname = (url: string): string => url.replace(/\?.*/, '');

/** None for a failed parent page. */
function ParentLink({ path }: { readonly path: string }): VNode | null {
  const parent = PARENT_PAGES.find(([pattern]) => pattern.test(path));
  if (parent === undefined) return null;
  const [pattern, target, text] = parent;
  const href = path.replace(pattern, target);
  if (pathname(href) === pathname(path)) return null;
  return (
    <>
      <a href={href}>{text}</a> ·{' '}
    </>
  );
}

interface LinksProps {
  readonly problem: Problem;
  readonly path: string;
  readonly user: SessionUser | null;
}

/** Other pages that the key may use. A key that lacks a permission usually lacks it for the parent page, too. */
const Links = ({ problem: { code, status }, path, user }: LinksProps): VNode =>
  status === 404 ? (
    <>
      <p>Pages:</p>
      <ul>
        <li>
          <a href="/">Start page</a>
          {canUse(user, 'enrich:read') && ': look up a first name or a surname'}
        </li>
        {canUse(user, 'enrich:batch') && (
          <li>
            <a href="/upload">Upload a file</a>, or open <a href="/batches">your batches</a>; their rows expire
          </li>
        )}
        {canUse(user, 'charts:read') && (
          <>
            <li>
              <a href="/search">Search</a> for candidates, committees and names
            </li>
            <li>
              <a href="/data-charts/v1/about">Data and charts</a> of federal candidates
            </li>
          </>
        )}
        <li>
          <a href="/docs">API reference</a>: all endpoints, to try out
        </li>
        <li>
          <a href="/guide">Guide</a>: all documents, from the quickstart to the runbook
        </li>
      </ul>
    </>
  ) : (
    <p>
      {code !== 'unauthorized' && code !== 'missing-scope' && <ParentLink path={path} />}
      <a href="/">Start page</a>
    </p>
  );

/** Seconds of the Retry-After header, if the problem has one. */
export function retryAfter({ parts }: Problem): number | undefined {
  const seconds = Number(parts.headers?.['retry-after']);
  return seconds > 0 ? seconds : undefined;
}

/** Next steps by problem code. Codes that only API clients receive have none. */
const STEPS: Partial<Record<ProblemCode, ComponentChildren>> = {
  'invalid-request': 'Correct the values listed here, then try again.',
  'malformed-body': 'Go back, correct the error and send the form again.',
  'unreadable-batch': (
    <>
      Save the file as CSV with one header row and <a href="/upload">open the preview</a>: it shows how the file is
      read.
    </>
  ),
  'ambiguous-key':
    'Remove the key from the URL. After you sign in on a page of this service, the URL does not need it.',
  'missing-scope': (
    <>
      Enter a key with the permission, or ask the operator of this service for one:{' '}
      <code>bin/donorlens keys issue --name NAME --scopes SCOPES</code>.
    </>
  ),
  'method-not-allowed': 'Open the page with the form, and send the form there.',
  'request-timeout': 'Send it again. On a slow connection, compress the file with gzip first.',
  'batch-not-finished': 'The page of the batch shows its progress and links to the results so far.',
  'wrong-state': 'The page of the batch shows its new state.',
  expired: (
    <>
      <a href="/upload">Upload the file again</a> and download the results before they expire.
    </>
  ),
  'body-too-large': (
    <>
      <a href="/upload">Upload it as a file</a>: files may have up to 2 GB.
    </>
  ),
  'unsupported-media-type': 'Save the file as CSV, NDJSON or JSON, with or without gzip, and send it again.',
  'url-too-long': 'Use a shorter URL. Programs can send many queries in a request body.',
  'headers-too-large': 'Delete the cookies of this site in the browser and try again.',
  'quota-exceeded': 'The daily quota resets at midnight UTC. Ask the operator of this service for a higher quota.',
  internal: 'Try again. If it fails again, give the operator of this service the request ID below: it is in the log.',
};

function nextStep(problem: Problem, isForm: boolean): ComponentChildren {
  const seconds = retryAfter(problem);
  if (problem.code === 'unavailable' && isForm)
    return `Go back, and send the form again${seconds ? ` in ${duration(seconds)}` : ''}.`;
  if (problem.code === 'unavailable')
    return `This page reloads automatically${seconds ? ` in ${duration(seconds)}` : ''}.`;
  const isEstimate = problem.code === 'batch-not-finished'; // its Retry-After is for clients that poll
  const wait = seconds === undefined || isEstimate ? undefined : `Try again in ${duration(seconds)}.`;
  const step = STEPS[problem.code];
  return wait && step ? (
    <>
      {wait} {step}
    </>
  ) : (
    (wait ?? step)
  );
}
