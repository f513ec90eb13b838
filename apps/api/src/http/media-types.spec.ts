import { acceptsOnlyHtml, isNavigation, mediaType, preferredFormat, preferredType } from './media-types';

describe('content negotiation', () => {
  const offers = ['text/html', 'application/json', 'text/csv'] as const;

  it.each([
    [undefined, 'text/html'],
    ['*/*', 'text/html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['application/json', 'application/json'],
    ['application/json, */*', 'text/html'],
    ['application/json, */*;q=0.5', 'application/json'],
    ['text/*;q=0.5, application/json;q=0.4', 'text/html'],
    ['text/csv;q=0.9, application/json;q=0.8', 'text/csv'],
    ['TEXT/CSV', 'text/csv'],
    ['application/pdf', 'text/html'],
    ['text/html;q=0, application/json', 'application/json'],
    ['text/csv;q=nonsense', 'text/csv'],
    [',;=', 'text/html'],
  ])('answers Accept %p with %p', (accept, type) => {
    expect(preferredType(accept, offers)).toBe(type);
  });

  it.each([
    ['application/*', 'csv'],
    ['application/*, application/vnd.apache.parquet;q=0', 'csv'],
    ['application/vnd.apache.parquet', 'parquet'],
    ['application/vnd.apache.parquet, text/csv;q=0.9', 'parquet'],
    [undefined, 'csv'],
  ])('answers Accept %p with the format %p: Parquet only if it is named', (accept, format) => {
    const types = { csv: 'text/csv', parquet: 'application/vnd.apache.parquet' };
    expect(preferredFormat(accept, ['csv', 'parquet'], types)).toBe(format);
  });

  it('distinguishes a browser that opens a page from a program that requests HTML', () => {
    expect(isNavigation({ accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })).toBe(true);
    expect(isNavigation({ 'sec-fetch-mode': 'navigate' })).toBe(true);
    expect(isNavigation({ accept: 'text/html' })).toBe(false);
    expect(isNavigation({})).toBe(false);
  });

  it('distinguishes a client that accepts only HTML from one that also accepts JSON', () => {
    const accepts = ['text/html', 'text/*', 'text/html, */*;q=0', 'text/html, */*;q=0.1', 'text/csv', '*/*', undefined];
    expect(accepts.map((accept) => acceptsOnlyHtml({ accept }))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('reads a content type without its parameters', () => {
    expect([mediaType('Text/CSV; charset=utf-8'), mediaType(undefined)]).toEqual(['text/csv', '']);
  });
});
