import { type Answer } from '../generated-requests/request-sender';
import { KEY } from '../../support/installation';
import { type TrialService, forEachConcurrently, type Outcome, refusalFaults } from './trial';

const FORM = 'application/x-www-form-urlencoded';

/** Where a path leads on to something that is looked up by its name. */
const ROOTS = ['/', '/assets/', '/docs/', '/guide/', '/enrich/v1/batches/', '/data-charts/v1/'];

const CLIMBS = [
  '../',
  '..%2f',
  '%2e%2e/',
  '%2e%2e%2f',
  '..%5c',
  '..\\',
  '%252e%252e%252f',
  '..;/',
  '....//',
  '.%00./',
  '%c0%ae%c0%ae/',
  '%u002e%u002e/',
  '//',
  './/',
];
const TARGETS = [
  'etc/passwd',
  'package.json',
  'run.json',
  '.env',
  'proc/self/environ',
  'node_modules/fastify/package.json',
  'windows/win.ini',
];

const CLIMBING = ROOTS.flatMap((root) =>
  CLIMBS.flatMap((climb) => TARGETS.map((target) => root + climb.repeat(climb.length > 3 ? 6 : 8) + target)),
);

const SINGLE = [
  ...[
    '//example.org/',
    '///',
    '/\\example.org',
    '/%2f%2fexample.org',
    '/.',
    '/..',
    '/%',
    '/%zz',
    '/%00',
    '/\x80',
    '/a%00.css',
    '/assets/%2e',
    '/guide/api%00',
    '/guide/..%00/',
  ],
  ...['http://169.254.169.254/latest/', 'file:///etc/passwd', 'ftp://x/', '*', '?', '#'],
  ...[
    '/enrich/v1/batches/%2e%2e',
    '/enrich/v1/batches/..%2f..%2fops',
    '/enrich/v1/batches/%0d%0aX-Injected:1/results',
    '/ENRICH/v1/batches',
    '/enrich//v1/batches',
    '/enrich/v1/batches/./',
  ],
];

/** Addresses elsewhere, as a link to the sign-in would carry them. */
const ELSEWHERE = [
  '//example.org',
  'https://example.org',
  '%2F%5Cexample.org',
  '%0d%0aX-Injected:1',
  'javascript:alert(1)',
  '/%09/example.org',
  '/..//example.org',
];

const NAMES = '/enrich/v1/age_gender/name/Mary/date/2017-07-01?format=json';

/** Those that name something of ours all the same: what they answer is to the byte what it answers by its own name. */
const NAMING: readonly (readonly [target: string, name: string])[] = [
  ['http://example.org/', '/'],
  ['/?/../x', '/'],
  [`https://127.0.0.1${NAMES}`, NAMES],
  ...ELSEWHERE.map((next) => [`/sign-in?next=${next}`, '/sign-in'] as const),
];

/** Of files that are none of ours to show. */
const LEAKS = /root:.*:0:0:|"(?:devDependencies|databaseUrl)"|DATABASE_URL|\[fonts\]/;
const NOT_HERE = [400, 404, 405];

type Trick = readonly [method: string, target: string];

/** What no answer may be, whatever it answers. */
const turned = (target: string, { headers }: Answer): string[] => [
  ...(headers['x-injected'] === undefined ? [] : [`${target}: writes a header`]),
  ...(headers.location === undefined ? [] : [`${target}: leads to ${headers.location}`]),
];

async function refused(bench: TrialService, [method, target]: Trick): Promise<string[]> {
  const answer = await bench.send(method, target, { Accept: '*/*' });
  const shows = LEAKS.test(answer.body.toString('latin1')) ? [`${target}: shows a file`] : [];
  return [...refusalFaults(`${method} ${target}`, answer, NOT_HERE), ...shows, ...turned(target, answer)];
}

async function named(bench: TrialService, [target, name]: (typeof NAMING)[number]): Promise<string[]> {
  const [answer, own] = [await bench.get(target), await bench.get(name)];
  const isSame = answer.status === 200 && own.status === 200 && answer.body.equals(own.body);
  return [...(isSame ? [] : [`${target}: ${answer.status}, and not what ${name} is`]), ...turned(target, answer)];
}

/** Who signs in with an address elsewhere comes to the start page. */
async function signedIn(bench: TrialService, next: string): Promise<string[]> {
  const form = `key=${KEY}&next=${next}`;
  const { status, headers } = await bench.sendAs('POST', '/session', { 'Content-Type': FORM }, form);
  return status === 303 && headers.location === '/' ? [] : [`signing in to ${next}: ${status} ${headers.location}`];
}

/** Names of files that lead elsewhere, and addresses that are none of ours. */
export async function pathTricks(bench: TrialService): Promise<Outcome> {
  const tricks = [...CLIMBING, ...SINGLE].flatMap((target): Trick[] => [
    ['GET', target],
    ['POST', target],
  ]);
  const posts = NAMING.map(([target]): Trick => ['POST', target]);
  const parts = [
    await forEachConcurrently([...tricks, ...posts], 8, (one) => refused(bench, one)),
    await forEachConcurrently(NAMING, 8, (one) => named(bench, one)),
    await forEachConcurrently(ELSEWHERE, 8, (next) => signedIn(bench, next)),
  ];
  return {
    what: 'paths that climb, and addresses elsewhere',
    looked: parts.reduce((sum, { looked }) => sum + looked, 0),
    faults: parts.flatMap(({ faults }) => faults),
  };
}
