import { type IncomingHttpHeaders } from 'node:http';
import { isTableFile } from '@donorlens/tabular';

interface Range {
  readonly type: string;
  readonly quality: number;
}

/** Media ranges of an Accept header; a malformed quality counts as 1. */
function ranges(accept: string): Range[] {
  return accept.split(',').map((part) => {
    const [type, ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { type, quality: quality === undefined || Number.isNaN(Number(quality)) ? 1 : Number(quality) };
  });
}

/** Quality of a media type, from the most specific range that includes it. */
function qualityOf(type: string, accepted: readonly Range[]): number {
  const family = `${type.split('/')[0]}/*`;
  for (const wanted of [type, family, '*/*']) {
    const range = accepted.find((one) => one.type === wanted);
    if (range) return range.quality;
  }
  return 0;
}

/**
 * The media type of the response. The first offer wins ties; it is also the result if no offer is acceptable.
 */
export function preferredType<T extends string>(accept: string | undefined, offers: readonly [T, ...T[]]): T {
  if (!accept) return offers[0];
  const accepted = ranges(accept);
  let [best] = offers;
  for (const offer of offers) if (qualityOf(offer, accepted) > qualityOf(best, accepted)) best = offer;
  return best;
}

/**
 * The format of the response, by media types; the first format wins ties, and is the result if none is acceptable.
 * Parquet and Excel are offered only to clients that name them, so that `application/*` keeps its earlier meaning.
 */
export const preferredFormat = <F extends string>(
  accept: string | undefined,
  formats: readonly [F, ...F[]],
  types: Readonly<Record<F, string>>,
): F => {
  const named = ranges(accept ?? '').map(({ type }) => type);
  const offered = formats.filter((format) => !isTableFile(format) || named.includes(types[format]));
  const offers = offered.map((format) => types[format]) as [string, ...string[]];
  return offered[offers.indexOf(preferredType(accept, offers))];
};

/** True if a browser opens a page; false for other clients that accept HTML. */
export function isNavigation(headers: { readonly accept?: string; readonly [name: string]: unknown }): boolean {
  if (headers['sec-fetch-mode'] === 'navigate') return true;
  const accept = headers.accept ?? '';
  return accept.includes('text/html') && accept.includes('application/xhtml+xml');
}

/** True if the client accepts HTML and no problem document. */
export function acceptsOnlyHtml({ accept = '' }: IncomingHttpHeaders): boolean {
  const accepted = ranges(accept);
  const json = ['application/problem+json', 'application/json'].map((type) => qualityOf(type, accepted));
  return qualityOf('text/html', accepted) > 0 && Math.max(...json) === 0;
}

/** Normalizes a content type: `Text/CSV; charset=utf-8` becomes `text/csv`. */
export const mediaType = (contentType: string | undefined): string =>
  contentType === undefined ? '' : contentType.split(';')[0].trim().toLowerCase();

const GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;

/** True if the client accepts gzip with a quality above 0. */
export const acceptsGzip = (headers: IncomingHttpHeaders): boolean =>
  GZIP.test(String(headers['accept-encoding'] ?? ''));
