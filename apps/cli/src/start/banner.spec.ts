import { banner, serviceUrl, shownUrl } from './banner';

describe('what a start prints', () => {
  it('has the address, the key, the data release, and which servers were chosen', () => {
    const text = banner({
      url: 'http://127.0.0.1:3000',
      readyMs: 2345,
      key: 'in .donorlens/key',
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

  it('has a command to try that finds this service wherever it lives', () => {
    const facts = { url: 'http://x', readyMs: 1, key: 'k', release: 'r', database: 'd', queue: 'q' };
    const tried = (home: string) => banner({ ...facts, home, usualHome: '/srv/.donorlens' });
    expect(tried('/var/lib/donorlens')).toContain(' DONORLENS_HOME=/var/lib/donorlens bin/donorlens batch submit');
    expect(tried('/my data/it')).toContain(" DONORLENS_HOME='/my data/it' bin/donorlens");
    expect(tried('/srv/.donorlens')).not.toContain('DONORLENS_HOME=');
  });

  it('never shows the password of a server', () => {
    expect(shownUrl('postgres://user:secret@db.example:5432/donors')).toBe('postgres://db.example:5432/donors');
    expect(shownUrl('redis://:secret@127.0.0.1:6379')).toBe('redis://127.0.0.1:6379');
  });

  it('prints an address that can be opened', () => {
    expect(serviceUrl('0.0.0.0', 3000)).toBe('http://localhost:3000');
    expect(serviceUrl('::1', 3000)).toBe('http://[::1]:3000');
    expect(serviceUrl('127.0.0.1', 8080)).toBe('http://127.0.0.1:8080');
  });
});
