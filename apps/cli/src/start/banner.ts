import { performance } from 'node:perf_hooks';
import { redisCluster, shownNodes } from '@donorlens/config';
import { type FirstKey } from './secrets';

/** Facts that `npm start` prints when the service is ready. */
interface BannerFacts {
  readonly url: string;
  /** Milliseconds since the start of the command. */
  readonly readyMs: number;
  /** Steps that ran before the service was started; their time is part of `readyMs`. */
  readonly preparations: readonly Preparation[];
  readonly startMs: number;
  readonly key: FirstKey;
  readonly release: string;
  readonly database: string;
  readonly queue: string;
  readonly home: string;
  /** Default home, in which commands look for a service; equal to `home` if this service uses it. */
  readonly usualHome: string;
}

/** Pages for uploads, the API documentation and operators. */
const PAGES = ['/upload', '/docs', '/ops'];

const UNCONFIRMED: [string, string] = [
  '',
  'no key is valid until bin/donorlens keys confirm: first revoke again what must stay revoked',
];

export function banner(facts: BannerFacts): string {
  const rows: [string, string][] = [
    ['key', facts.key.text],
    ...(facts.key.isUnconfirmed ? [UNCONFIRMED] : []),
    ['data', facts.release],
    ['database', facts.database],
    ['queue', facts.queue],
    ['home', `${facts.home} (databases, caches, logs)`],
    ['pages', `${facts.url}/  ${PAGES.join('  ')}`],
    ['api', `${facts.url}/openapi.json, described in ${facts.url}/guide/api`],
    [
      'try',
      `bin/donorlens batch submit FILE.csv --min-age 18 --wait${facts.key.isKept ? '' : ' --key KEY'} > enriched.csv`,
    ],
    ['stop', 'Ctrl-C'],
  ];
  const head = `donorlens is ready at ${facts.url} after ${timeText(facts)}`;
  const lines = ['', head, ...rows.map(([name, text]) => `  ${name.padEnd(9)} ${text}`), ''];
  return withHome(lines.join('\n'), facts);
}

/** 2345 -> "2.3 s", followed by the single steps if something was installed or built before the start. */
function timeText({ readyMs, preparations, startMs }: BannerFacts): string {
  if (preparations.length === 0) return `${(readyMs / 1000).toFixed(1)} s`;
  const parts = [...preparations, { what: 'starting', ms: startMs }];
  return `${seconds(readyMs)} s: ${parts.map(({ what, ms }) => `${what} ${seconds(ms)}`).join(', ')}`;
}

const seconds = (ms: number): number => Math.round(ms / 1000);

/** Puts DONORLENS_HOME before each bin/donorlens command, so that a copied command finds a non-default home. */
export function withHome(text: string, { home, usualHome }: Pick<BannerFacts, 'home' | 'usualHome'>): string {
  if (home === usualHome) return text;
  const quoted = /^[\w./-]+$/.test(home) ? home : `'${home.replaceAll("'", `'\\''`)}'`;
  return text.replace(/(?<![\w./-])bin\/donorlens(?= [a-z])/g, () => `DONORLENS_HOME=${quoted} bin/donorlens`);
}

/** The URL to print for the host and port that the api listens on. */
export function serviceUrl(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** A server's URL without user and password. */
export function shownUrl(url: string): string {
  const cluster = redisCluster(url);
  if (cluster) return `${cluster.tls ? 'rediss' : 'redis'}+cluster://${shownNodes(cluster)}`;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

/** Banner text about the data release. @param ready - body of GET /health/ready */
export function releaseText(ready: unknown, dataSource: string | undefined): string {
  const { release } = (ready ?? {}) as { readonly release?: unknown };
  const id = typeof release === 'string' ? release : 'not known';
  if (!id.startsWith('sample')) return dataSource ? `${id} (from DATA_SOURCE)` : id;
  return `${id} (the small sample that ships with the project; the official files are fetched in the background)`;
}

/** A step, such as an installation or a build, that a fresh clone needs before the start. */
interface Preparation {
  readonly what: string;
  readonly ms: number;
}

/** Prefix of the performance measures that bin/prepare.js records in this process. */
const PREFIX = 'donorlens ';

/** Installation and build steps of this process, in order. */
export const preparations = (): Preparation[] =>
  performance
    .getEntriesByType('measure')
    .filter(({ name }) => name.startsWith(PREFIX))
    .map(({ name, duration }) => ({ what: name.slice(PREFIX.length), ms: duration }));
