import { type Bench, each, type Outcome } from './bench';

/** Where a path leads on to something that is looked up by its name. */
const ROOTS = [
  '/',
  '/assets/',
  '/docs/',
  '/guide/',
  '/ops/queues/',
  '/ops/queues/static/',
  '/enrich/v1/batches/',
  '/data-charts/v1/',
];

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
  ...[
    'http://example.org/',
    'https://127.0.0.1/enrich/v1/batches',
    'http://169.254.169.254/latest/',
    'file:///etc/passwd',
    'ftp://x/',
    '*',
    '?',
    '#',
    '/?/../x',
  ],
  ...[
    '/sign-in?next=//example.org',
    '/sign-in?next=https://example.org',
    '/sign-in?next=%2F%5Cexample.org',
    '/sign-in?next=%0d%0aX-Injected:1',
    '/sign-in?next=javascript:alert(1)',
  ],
  ...[
    '/enrich/v1/batches/%2e%2e',
    '/enrich/v1/batches/..%2f..%2fops',
    '/enrich/v1/batches/%0d%0aX-Injected:1/results',
    '/ENRICH/v1/batches',
    '/enrich//v1/batches',
    '/enrich/v1/batches/./',
  ],
];

/** Of files that are none of ours to show, and of headers that a client wrote. */
const LEAKS = /root:.*:0:0:|"(?:devDependencies|databaseUrl)"|DATABASE_URL|\[fonts\]/;

async function tried(bench: Bench, method: string, target: string): Promise<string[]> {
  const { status, headers, body } = await bench.send(method, target, { Accept: '*/*' });
  const text = body.toString('latin1');
  const { location = '' } = headers;
  return [
    ...(status >= 500 ? [`${target}: ${status}`] : []),
    ...(LEAKS.test(text) ? [`${target}: shows a file`] : []),
    ...(headers['x-injected'] === undefined ? [] : [`${target}: writes a header`]),
    ...(/^(\/\/|\/\\|https?:|javascript:)/i.test(location) ? [`${target}: leads away to ${location}`] : []),
    ...(/(?:action|href|value)="(?:\/\/|\/\\|https?:\/\/example|javascript:)/i.test(text) && target.includes('next=')
      ? [`${target}: the page leads away`]
      : []),
  ];
}

/** Names of files that lead elsewhere, and addresses that are none of ours. */
export async function pathTricks(bench: Bench): Promise<Outcome> {
  const all = [...CLIMBING, ...SINGLE].flatMap((target) => ['GET', 'POST'].map((method) => [method, target] as const));
  const faults = await each(all, 8, ([method, target]) => tried(bench, method, target));
  return { what: 'paths that climb, and addresses elsewhere', tried: all.length, refused: all.length, faults };
}
