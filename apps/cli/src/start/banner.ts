/** What `npm start` prints once the service is ready. */
export interface BannerFacts {
  readonly url: string;
  readonly readyMs: number;
  readonly key: string;
  readonly release: string;
  readonly database: string;
  readonly queue: string;
  readonly home: string;
}

export function banner(facts: BannerFacts): string {
  const rows: [string, string][] = [
    ['key', facts.key],
    ['data', facts.release],
    ['database', facts.database],
    ['queue', facts.queue],
    ['home', `${facts.home} (databases, caches, logs)`],
    ['docs', `${facts.url}/openapi.json, README.md`],
    ['try', 'bin/donorlens batch submit FILE.csv --wait > enriched.csv'],
    ['stop', 'Ctrl-C'],
  ];
  const head = `donorlens is ready at ${facts.url} after ${(facts.readyMs / 1000).toFixed(1)} s`;
  return ['', head, ...rows.map(([name, text]) => `  ${name.padEnd(9)} ${text}`), ''].join('\n');
}

/** Address to print for what the api listens on. */
export function serviceUrl(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** A server's URL without user and password. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
