import { performance } from 'node:perf_hooks';
import { banner, serviceUrl, shownUrl, preparations, withHome } from './banner';

const FACTS = {
  ...{
    url: 'http://x',
    readyMs: 1,
    preparations: [],
    startMs: 1,
    key: { text: 'k', isKept: true, isUnconfirmed: false },
    release: 'r',
  },
  ...{ database: 'd', queue: 'q', home: '/h', usualHome: '/h' },
};

describe('the banner of a start', () => {
  it('shows the URL, the key, the data release and the chosen servers', () => {
    const text = banner({
      url: 'http://127.0.0.1:3000',
      readyMs: 2345,
      preparations: [],
      startMs: 2000,
      key: { text: 'in .donorlens/key', isKept: true, isUnconfirmed: false },
      release: 'sample.1a2b3c (sample)',
      database: 'embedded Postgres',
      queue: 'on Postgres',
      home: '/srv/.donorlens',
      usualHome: '/srv/.donorlens',
    });
    expect(text).toContain('donorlens is ready at http://127.0.0.1:3000 after 2.3 s');
    for (const part of ['in .donorlens/key', 'sample.1a2b3c', 'embedded Postgres', 'on Postgres', 'openapi.json'])
      expect(text).toContain(part);
    expect(text).toContain('http://127.0.0.1:3000/  /upload  /docs  /ops');
    expect(text).toContain(' bin/donorlens batch submit FILE.csv');
  });

  it('states that no key is valid after a restore', () => {
    expect(banner(FACTS)).not.toContain('no key is valid');
    expect(banner({ ...FACTS, key: { ...FACTS.key, isUnconfirmed: true } })).toContain(
      'no key is valid until bin/donorlens keys confirm',
    );
  });

  it('shows a command that finds this service in any home', () => {
    const tried = (home: string, isKept = true) =>
      banner({ ...FACTS, key: { ...FACTS.key, isKept }, home, usualHome: '/srv/.donorlens' });
    expect(tried('/var/lib/donorlens')).toContain(' DONORLENS_HOME=/var/lib/donorlens bin/donorlens batch submit');
    expect(tried('/my data/it')).toContain(" DONORLENS_HOME='/my data/it' bin/donorlens");
    expect(tried('/srv/.donorlens')).not.toContain('DONORLENS_HOME=');
    expect(tried('/srv/.donorlens')).not.toContain('--key');
    expect(tried('/srv/.donorlens', false)).toContain(' submit FILE.csv --min-age 18 --wait --key KEY > '); // no file has it
  });

  it('puts the home before each command in the log, but not in paths', () => {
    const homes = { home: '/srv/two', usualHome: '/srv/.donorlens' };
    expect(withHome('{"msg":"run \\"bin/donorlens keys confirm\\""}', homes)).toBe(
      '{"msg":"run \\"DONORLENS_HOME=/srv/two bin/donorlens keys confirm\\""}',
    );
    for (const text of ['/srv/bin/donorlens start', 'a file of bin/donorlens'])
      expect(withHome(text, homes)).toBe(text);
    expect(withHome('bin/donorlens status', { ...homes, home: '/srv/.donorlens' })).toBe('bin/donorlens status');
  });

  it('lists installation and build with their part of the total time', () => {
    performance.measure('donorlens installing', { start: 0, end: 94_200 });
    performance.measure('donorlens building', { start: 94_200, end: 97_000 });
    performance.measure('of another module', { start: 0, end: 5 });
    const text = banner({ ...FACTS, readyMs: 123_400, preparations: preparations(), startMs: 19_400 });
    performance.clearMeasures();
    expect(text).toContain('ready at http://x after 123 s: installing 94, building 3, starting 19\n');
  });

  it('does not show the password of a server', () => {
    expect(shownUrl('postgres://user:secret@db.example:5432/donors')).toBe('postgres://db.example:5432/donors');
    expect(shownUrl('redis://:secret@127.0.0.1:6379')).toBe('redis://127.0.0.1:6379');
    expect(shownUrl('rediss+cluster://:secret@a:1,b')).toBe('rediss+cluster://a:1,b:6379');
  });

  it('shows a URL that a browser can open', () => {
    expect(serviceUrl('0.0.0.0', 3000)).toBe('http://localhost:3000');
    expect(serviceUrl('::1', 3000)).toBe('http://[::1]:3000');
    expect(serviceUrl('127.0.0.1', 8080)).toBe('http://127.0.0.1:8080');
  });
});
