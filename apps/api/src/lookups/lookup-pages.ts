import { type FastifyRequest } from 'fastify';
import { type Release } from '@donorlens/reference-data';
import { type SessionUser, sessionUserOf } from '../access/sessions';
import { type QueryParameters } from '../http/query-parameters';
import { type AgeAnswer } from './age-gender-results';
import { type EthnicityAnswer } from './ethnicity-results';

/** The session and the API key of a request for a lookup page. */
export interface PageContext {
  readonly user: SessionUser | null;
  /** The API key, only if it is in the URL. Links and forms then repeat it. */
  readonly apiKey: string | undefined;
}

export function pageContextOf(request: FastifyRequest): PageContext {
  const { apiKey } = request.query as QueryParameters;
  return { user: sessionUserOf(request), apiKey: typeof apiKey === 'string' ? apiKey : undefined };
}

/** URL parsers resolve these names in a path as dot segments, even if they are encoded. */
export const isDotSegment = (name: string): boolean => name === '.' || name === '..';

/** Maximum number of names on one page. */
export const MAX_COMPARED_NAMES = 4;

/** The path of a lookup from the fields of a form; undefined parameters are left out, lists are repeated. */
export function lookupPath(
  parts: readonly string[],
  query: Readonly<Record<string, string | readonly string[] | undefined>>,
): string {
  const path = `/enrich/v1/${parts.map(encodeURIComponent).join('/')}`;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value ?? []].flat()) parameters.append(name, one);
  return parameters.size > 0 ? `${path}?${parameters}` : path;
}

/** Renders endpoints 2 and 4 as HTML and SVG. The web module provides it, so that lookups do not import pages. */
export abstract class LookupPages {
  abstract agePage(answer: AgeAnswer, release: Release, reader: PageContext): string;
  abstract ageChart(answer: AgeAnswer, release: Release): string;
  /** Page that compares several names at one date. */
  abstract namesPage(answers: readonly AgeAnswer[], release: Release, reader: PageContext): string;
  abstract namesChart(answers: readonly AgeAnswer[], release: Release): string;
  abstract ethnicityPage(answer: EthnicityAnswer, release: Release, reader: PageContext): string;
  abstract ethnicityChart(answer: EthnicityAnswer, release: Release): string;
  /** Content-Security-Policy of the charts, which have inline styles. */
  abstract readonly chartPolicy: string;
}
