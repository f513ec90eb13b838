import { localPath } from './local-path';

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
