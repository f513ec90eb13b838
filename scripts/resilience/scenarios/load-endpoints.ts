import { contributionsCsv, dayOf, nameOf, surnameOf } from '../support/batch-client';

/** A request that is sent repeatedly. */
export interface Endpoint {
  readonly name: string;
  /** `{batch}` stands for the id of a completed batch. */
  readonly path: string;
  readonly accept?: string;
  readonly type?: string;
  /** Body of a POST. */
  readonly body?: string;
}

const QUERIES = 1_000;
const bulk = (name: string, path: string, count: number, query: (nth: number) => object): Endpoint => ({
  name: `${name}, ${count.toLocaleString('en-US')}`,
  ...{ path, type: 'application/json' },
  body: JSON.stringify({ queries: Array.from({ length: count }, (_, nth) => query(nth)) }),
});
const ages = (count: number): Endpoint =>
  bulk('1 age and gender', '/enrich/v1/age_gender', count, (n) => ({ date: dayOf(n), name: nameOf(n) }));
const contributions = (count: number): Endpoint =>
  bulk('contributions', '/enrich/v1/contributions', count, (n) => ({
    ...{ first_name: nameOf(n), surname: surnameOf(n), date: dayOf(n) },
  }));
const csv = (name: string, path: string): Endpoint => ({
  ...{ name, path, type: 'text/csv' },
  body: contributionsCsv('load', 100, Infinity),
});

/** The nine endpoints of the specification, then other client requests. */
export const ENDPOINTS: readonly Endpoint[] = [
  ages(QUERIES),
  { name: '2 page of a name', path: '/enrich/v1/age_gender/name/Mary/date/2017-07-01', accept: 'text/html' },
  bulk('3 ethnicity', '/enrich/v1/ethnicity', QUERIES, (n) => ({ surname: surnameOf(n), year: 2000 + (n % 20) })),
  { name: '4 ethnicity of a surname', path: '/enrich/v1/ethnicity/surname/Garcia/year/2016' },
  { name: '5 about', path: '/data-charts/v1/about', accept: 'text/html' },
  { name: '6 ages of donors', path: '/data-charts/v1/age_distribution/committee?cycle=2024' },
  { name: '7 cumulative donors', path: '/data-charts/v1/cumulative_donors/candidate?cycle=2024' },
  { name: '8 candidates', path: '/data-charts/v1/candidate/search?cycle=2024' },
  { name: '9 committees', path: '/data-charts/v1/committee/candidate/search?cycle=2024' },
  { name: 'donors of candidates by state', path: '/data-charts/v1/breakdown/candidate?cycle=2024&by=state' },
  { name: 'contributions, 100 found', path: '/data-charts/v1/contributions/search?cycle=2024&limit=100' },
  contributions(QUERIES),
  csv('a batch of 100 rows', '/enrich/v1/batches?type=contributions'),
  { name: 'list of batches', path: '/enrich/v1/batches' },
  { name: 'state of a batch', path: '/enrich/v1/batches/{batch}' },
  { name: 'results of a batch, 1,000 rows as CSV', path: '/enrich/v1/batches/{batch}/results?format=csv' },
  csv('preview of a file of 100 rows', '/enrich/v1/batches/preview'),
];

/** Number of rows of the batch whose results are read. */
export const READ_ROWS = 1_000;

/** The largest bulk requests. */
export const LARGEST: readonly Endpoint[] = [ages(10 * QUERIES), contributions(10 * QUERIES)];
