import { isSameOrigin, localPath } from './request-origin';

describe('where a form leads', () => {
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

describe('where a form comes from', () => {
  const of = (headers: Record<string, string>): boolean =>
    isSameOrigin({ headers: { host: 'donors.lan:3000', ...headers } });

  it('is told by Sec-Fetch-Site where a browser sends it', () => {
    expect(['same-origin', 'none', 'same-site', 'cross-site'].map((site) => of({ 'sec-fetch-site': site }))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(of({ 'sec-fetch-site': 'cross-site', origin: 'http://donors.lan:3000' })).toBe(false);
  });

  it('is told by its origin over plain http, where a browser says no more', () => {
    expect(of({ origin: 'http://donors.lan:3000' })).toBe(true);
    for (const origin of ['http://donors.lan:3001', 'http://evil.example', 'null', 'donors.lan:3000'])
      expect([origin, of({ origin })]).toEqual([origin, false]);
  });

  it('is not asked of programs, which say nothing', () => expect(of({})).toBe(true));
});
