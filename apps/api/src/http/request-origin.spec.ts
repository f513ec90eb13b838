import { isSameOrigin, localPath } from './request-origin';

describe('the redirect target after a form', () => {
  it.each([
    ['/upload', '/upload'],
    ['/enrich/v1/batches/7?format=html&apiKey=dl_secret', '/enrich/v1/batches/7?format=html'],
    ['/data-charts/v1/about?token=x', '/data-charts/v1/about'],
  ])('is a path of this service: %s', (asked, path) => expect(localPath(asked)).toBe(path));

  it.each([
    null,
    undefined,
    '',
    'upload',
    'https://example.org/',
    '//example.org',
    '/\\example.org',
    '/..//example.org/x',
    '/./\t/example.org',
    '/a b',
    '/a\nb',
  ])('is the start page for %j', (asked) => expect(localPath(asked)).toBe('/'));
});

describe('the same-origin check of a form', () => {
  const of = (headers: Record<string, string>): boolean =>
    isSameOrigin({ headers: { host: 'donors.lan:3000', ...headers } });

  it('uses Sec-Fetch-Site if the browser sends it', () => {
    expect(['same-origin', 'none', 'same-site', 'cross-site'].map((site) => of({ 'sec-fetch-site': site }))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(of({ 'sec-fetch-site': 'cross-site', origin: 'http://donors.lan:3000' })).toBe(false);
  });

  it('uses the Origin header without Sec-Fetch-Site, as over plain HTTP', () => {
    expect(of({ origin: 'http://donors.lan:3000' })).toBe(true);
    for (const origin of ['http://donors.lan:3001', 'http://evil.example', 'null', 'donors.lan:3000'])
      expect([origin, of({ origin })]).toEqual([origin, false]);
  });

  it('accepts programs, which send neither header', () => expect(of({})).toBe(true));
});
