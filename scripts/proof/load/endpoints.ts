import { seeded } from '../../seeded';

/** A request as it is sent again and again. */
export interface Endpoint {
  readonly name: string;
  /** `{batch}` stands for the id of a batch of 1,000 rows that has completed. */
  readonly path: string;
  readonly method?: 'POST';
  readonly accept?: string;
  readonly type?: string;
  readonly body?: string;
}

const NAMES = ['Mary', 'James', 'Linda', 'Robert', 'Ashley', 'Ethan', 'Zzyzx'];
const SURNAMES = ['Smith', 'Garcia', 'Nguyen', 'Washington', 'Yoder'];
const QUERIES = 1_000;

const dayOf = (n: number): string => `${2004 + (n % 16)}-0${1 + (n % 9)}-15`;
const queries = (count: number, one: (n: number) => object): string =>
  JSON.stringify({ queries: Array.from({ length: count }, (_, n) => one(n)) });

const namesOf = (count: number): string => queries(count, (n) => ({ date: dayOf(n), name: NAMES[n % NAMES.length] }));

const contributionsOf = (count: number): string =>
  queries(count, (n) => ({
    first_name: NAMES[n % NAMES.length],
    surname: SURNAMES[n % SURNAMES.length],
    date: dayOf(n),
  }));

const bulk = (name: string, path: string, body: string): Endpoint => ({
  name,
  path,
  method: 'POST',
  type: 'application/json',
  body,
});

function csvOf(rows: number): string {
  const random = seeded(rows);
  const lines = Array.from({ length: rows }, (_, n) => {
    const surname = SURNAMES[Math.floor(random() * SURNAMES.length)];
    return `${n},${NAMES[n % NAMES.length]},${surname},${dayOf(n)}`;
  });
  return `row_id,first_name,last_name,date\n${lines.join('\n')}\n`;
}

/** The nine of the specification, then what else a client asks. */
export const ENDPOINTS: readonly Endpoint[] = [
  bulk('1 age and gender, 1,000 questions', '/enrich/v1/age_gender', namesOf(QUERIES)),
  {
    name: '2 page of a name',
    path: '/enrich/v1/age_gender/name/Mary/date/2017-07-01',
    accept: 'text/html',
  },
  bulk(
    '3 ethnicity, 1,000 questions',
    '/enrich/v1/ethnicity',
    queries(QUERIES, (n) => ({ surname: SURNAMES[n % SURNAMES.length], year: 2000 + (n % 20) })),
  ),
  { name: '4 ethnicity of a surname', path: '/enrich/v1/ethnicity/surname/Garcia/year/2016' },
  { name: '5 about', path: '/data-charts/v1/about', accept: 'text/html' },
  { name: '6 ages of donors', path: '/data-charts/v1/age_distribution/committee?cycle=2024' },
  { name: '7 cumulative donors', path: '/data-charts/v1/cumulative_donors/candidate?cycle=2024' },
  { name: '8 candidates', path: '/data-charts/v1/candidate/search?cycle=2024' },
  { name: '9 committees', path: '/data-charts/v1/committee/candidate/search?cycle=2024' },
  { name: 'donors of candidates by state', path: '/data-charts/v1/breakdown/candidate?cycle=2024&by=state' },
  { name: 'contributions, 100 found', path: '/data-charts/v1/contributions/search?cycle=2024&limit=100' },
  bulk('contributions, 1,000 records', '/enrich/v1/contributions', contributionsOf(QUERIES)),
  {
    name: 'a batch of 100 rows',
    path: '/enrich/v1/batches?type=contributions',
    method: 'POST',
    type: 'text/csv',
    body: csvOf(100),
  },
  { name: 'list of batches', path: '/enrich/v1/batches' },
  { name: 'state of a batch', path: '/enrich/v1/batches/{batch}' },
  { name: 'results of a batch, 1,000 rows as CSV', path: '/enrich/v1/batches/{batch}/results?format=csv' },
  {
    name: 'preview of a file of 100 rows',
    path: '/enrich/v1/batches/preview',
    method: 'POST',
    type: 'text/csv',
    body: csvOf(100),
  },
];

/** Rows of the batch that is read. */
export const READ_ROWS = 1_000;

/** As much as one request may ask. */
export const LARGEST: readonly Endpoint[] = [
  bulk('age and gender, 10,000 questions', '/enrich/v1/age_gender', namesOf(10 * QUERIES)),
  bulk('contributions, 10,000 records', '/enrich/v1/contributions', contributionsOf(10 * QUERIES)),
];
