import { type FastifyRequest } from 'fastify';
import { type SessionUser, sessionUserOf } from '../../access/sessions';
import { type IndexEntry } from '../../charts/about-facts';
import { AGE_DISTRIBUTION, CUMULATIVE_DONORS, type DataTable } from '../../charts/data-tables';
import { type Lists } from '../../charts/list-parameters';
import { type QueryParameters } from '../../http/query-parameters';
import { originOf } from '../../http/request-origin';

const ADULTS: Lists = { basis: ['adult'] };

/** Differences between the pages of the two charts. */
export interface ChartSubject {
  readonly file: DataTable;
  /** Query parameter of the ids. */
  readonly idName: 'candidate_id' | 'committee_id';
  readonly eyebrow: string;
  /** Kind of the subject, in the singular. */
  readonly one: string;
  readonly example: string;
  /** Plural of `one`. */
  readonly many: string;
  /** Link to the other chart of the same candidates. */
  readonly other: {
    readonly file: DataTable;
    readonly idName: string;
    readonly label: string;
    readonly defaults: Lists;
  };
  /** Parameters that links of the pages add: ages of donors count people aged 18 or older. */
  readonly defaults: Lists;
  /** Label of the search field. */
  readonly searchBy: string;
  /** Method of ChartSearch for the search by name. */
  readonly search: 'candidates' | 'committees';
  /** Ids of the index, with their names. */
  readonly known: (index: readonly IndexEntry[]) => readonly (readonly [id: string, name: string])[];
}

export const LINES: ChartSubject = {
  file: CUMULATIVE_DONORS,
  eyebrow: 'Donors over time',
  idName: 'candidate_id',
  one: 'candidate',
  example: 'P00000000',
  many: 'candidates',
  other: {
    file: AGE_DISTRIBUTION,
    idName: 'committee_id',
    label: 'Ages of the donors of these candidates',
    defaults: ADULTS,
  },
  defaults: {},
  searchBy: 'by name or ID',
  search: 'candidates',
  known: (index) => index.map(({ candidateId, name }) => [candidateId, name]),
};

export const AGES: ChartSubject = {
  file: AGE_DISTRIBUTION,
  eyebrow: 'Ages of donors',
  idName: 'committee_id',
  one: 'committee',
  example: 'C00000000',
  many: 'committees',
  other: {
    file: CUMULATIVE_DONORS,
    idName: 'candidate_id',
    label: 'Donors of these candidates over time',
    defaults: {},
  },
  defaults: ADULTS,
  searchBy: 'by candidate name or committee ID',
  search: 'committees',
  known: (index) => index.flatMap(({ committees }) => committees.map(({ id, name }) => [id, name] as const)),
};

/** Labels of the age basis in the form and in captions. */
export const BASIS_LABELS = {
  all: 'all people with the first name',
  adult: 'people aged 18 or older',
  donors: 'all donors together',
} as const;

export const basisLabel = ([basis]: readonly string[]): string =>
  BASIS_LABELS[basis as keyof typeof BASIS_LABELS] ?? BASIS_LABELS.all;

/** The selection of a page, with defaults for parameters that the URL does not have. */
export const withDefaults = ({ defaults }: ChartSubject, lists: Lists): Lists => ({
  ...lists,
  ...Object.fromEntries(Object.entries(defaults).filter(([name]) => lists[name].length === 0)),
});

/** Properties of the request that links of a page depend on. */
export interface RequestContext {
  /** `https://host:port` */
  readonly origin: string;
  /** API key of the URL, if it has one. */
  readonly token: string | undefined;
  /** Null without a session. */
  readonly user: SessionUser | null;
}

/** Path and query of a data and charts endpoint, with the API key only if the URL of the page has it. */
export function chartsUrl(
  path: string,
  lists: Lists,
  { token }: Pick<RequestContext, 'token'>,
  format?: string,
): string {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(lists)) for (const value of values) query.append(name, value);
  if (format !== undefined) query.set('format', format);
  if (token !== undefined) query.set('token', token);
  const text = query.toString();
  return `/data-charts/v1/${path}${text === '' ? '' : `?${text}`}`;
}

/** Path of a chart that other sites can embed. */
export const embedPath = (path: string): string => (path === '' ? '/embed' : `/embed/${path}`);

/** Path of the page of a candidate. */
export const candidatePath = (id: string, cycle?: number): string =>
  `/candidates/${id}${cycle === undefined ? '' : `?cycle=${cycle}`}`;

export function requestContextOf(request: FastifyRequest): RequestContext {
  const { token } = request.query as QueryParameters;
  return {
    origin: originOf(request),
    token: typeof token === 'string' ? token : undefined,
    user: sessionUserOf(request),
  };
}
