import { formOf } from '../generated-requests/draft';

/** A hostile text, and the batch that contains it. */
export interface Hostile {
  readonly payload: string;
  /** Of a batch whose columns, values, ids and name contain the text. */
  readonly batchId: string;
  readonly file: Buffer;
}

export interface Body {
  readonly type: string;
  readonly bytes: Buffer;
}

const escaped = ({ payload }: Hostile): string => encodeURIComponent(payload);
const batch = ({ batchId }: Hostile): string => `/enrich/v1/batches/${batchId}`;

const chart = (path: string) => (hostile: Hostile) => [
  `${path}?format=html&name_part=${escaped(hostile)}`,
  `${path}?format=html&name_part=${escaped(hostile)}&cycle=${escaped(hostile)}`,
  `${path}?format=svg&cycle=2024`,
  `${path}?format=svg&candidate_id=${escaped(hostile)}&committee_id=${escaped(hostile)}`,
];

/**
 * Paths of every route that shows a page, with the text in each parameter; at least one path of each route exists.
 * The order matters: the last ones change the batch, which a paused queue keeps unfinished until then.
 */
export const EXAMPLES: Readonly<Record<string, (hostile: Hostile) => readonly string[]>> = {
  'GET /': (hostile) => ['/', `/?x=${escaped(hostile)}`],
  'GET /sign-in': (hostile) => [`/sign-in?wrong=true&next=/${escaped(hostile)}`],
  'POST /session': () => ['/session'],
  'GET /guide': () => ['/guide'],
  'GET /guide/:name': (hostile) => ['/guide/quickstart', `/guide/${escaped(hostile)}`],
  'GET /guide/images/:file': (hostile) => ['/guide/images/architecture.svg', `/guide/images/${escaped(hostile)}`],
  'GET /docs': (hostile) => [
    `/docs?url=${escaped(hostile)}&configUrl=${escaped(hostile)}#operations-${escaped(hostile)}`,
  ],
  'GET /enrich/v1/age_gender/name/:name/date/:date': (hostile) => [
    ...['html', 'svg'].map((format) => `${nameOf(hostile)}/date/2017-07-01?format=${format}`),
    `/enrich/v1/age_gender/name/Mary/date/${escaped(hostile)}`,
    `/enrich/v1/age_gender/name/Mary/date/2017-07-01?min_age=${escaped(hostile)}&format=${escaped(hostile)}`,
  ],
  'GET /enrich/v1/age_gender/ask': (hostile) => [
    `/enrich/v1/age_gender/ask?name=${escaped(hostile)}&date=2017-07-01`,
    `/enrich/v1/age_gender/ask?name=Mary&date=${escaped(hostile)}`,
  ],
  'GET /enrich/v1/ethnicity/surname/:surname/year/:year': (hostile) => [
    ...['html', 'svg'].map((format) => `${surnameOf(hostile)}/year/2016?format=${format}`),
    `${surnameOf(hostile)}/year/${escaped(hostile)}?format=html`,
  ],
  'GET /enrich/v1/ethnicity/ask': (hostile) => [`/enrich/v1/ethnicity/ask?surname=${escaped(hostile)}&year=2016`],
  'GET /data-charts/v1/about': (hostile) => ['/data-charts/v1/about', `/data-charts/v1/about?x=${escaped(hostile)}`],
  'GET /data-charts/v1/age_distribution/committee': chart('/data-charts/v1/age_distribution/committee'),
  'GET /data-charts/v1/cumulative_donors/candidate': chart('/data-charts/v1/cumulative_donors/candidate'),
  'GET /candidates/:id': (hostile) => [
    '/candidates/P90000001',
    `/candidates/${escaped(hostile)}`,
    `/candidates/P90000001?cycle=${escaped(hostile)}`,
  ],
  'GET /compare': (hostile) => [
    `/compare?id=P90000001&id=P90000002&q=${escaped(hostile)}`,
    `/compare?id=${escaped(hostile)}&cycle=${escaped(hostile)}`,
  ],
  'GET /search': (hostile) => ['/search?q=hartwell', `/search?q=${escaped(hostile)}`],
  'GET /search/suggestions': (hostile) => [
    '/search/suggestions?q=hartwell',
    `/search/suggestions?q=${escaped(hostile)}&kind=${escaped(hostile)}`,
  ],
  'GET /embed/cumulative_donors/candidate': (hostile) => [
    '/embed/cumulative_donors/candidate?cycle=2024',
    `/embed/cumulative_donors/candidate?candidate_id=${escaped(hostile)}`,
  ],
  'GET /embed/age_distribution/committee': (hostile) => [
    '/embed/age_distribution/committee?cycle=2024',
    `/embed/age_distribution/committee?committee_id=${escaped(hostile)}`,
  ],
  'GET /ops': (hostile) => ['/ops', `/ops?asked=${escaped(hostile)}&format=html`],
  'POST /ops/ask': (hostile) => ['/ops/ask?action=refresh&source=charts', `/ops/ask?action=${escaped(hostile)}`],
  'GET /ops/queues': (hostile) => ['/ops/queues', `/ops/queues?${escaped(hostile)}=${escaped(hostile)}`],
  'GET /upload': () => ['/upload'],
  'POST /upload/preview': () => ['/upload/preview'],
  'GET /enrich/v1/batches/:id': (hostile) => [
    `${batch(hostile)}?format=html`,
    `/enrich/v1/batches/${escaped(hostile)}?format=html`,
  ],
  'GET /batches': (hostile) => ['/batches', `/batches?after=${escaped(hostile)}`],
  'GET /batches/:id/delete': (hostile) => [`/batches/${hostile.batchId}/delete`, `/batches/${escaped(hostile)}/delete`],
  'POST /batches/:id/cancel': (hostile) => [
    `/batches/${escaped(hostile)}/cancel`,
    `/batches/${hostile.batchId}/cancel`,
  ],
  'POST /batches/:id/delete': (hostile) => [
    `/batches/${escaped(hostile)}/delete`,
    `/batches/${hostile.batchId}/delete`,
  ],
  'POST /upload/start': () => ['/upload/start'],
};

/** Of no route. */
export const nowhere = (hostile: Hostile): string =>
  `/nowhere/${escaped(hostile)}?${escaped(hostile)}=${escaped(hostile)}`;

const nameOf = (hostile: Hostile): string => `/enrich/v1/age_gender/name/${escaped(hostile)}`;
const surnameOf = (hostile: Hostile): string => `/enrich/v1/ethnicity/surname/${escaped(hostile)}`;

/** What the form of a route sends; nothing where it has no fields. */
export function bodyOf(route: string, { payload, file }: Hostile): Body {
  if (route.startsWith('POST /upload/')) return formBody(file, payload);
  const fields = route === 'POST /session' ? new URLSearchParams({ key: payload, next: `/${payload}` }).toString() : '';
  return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(fields) };
}

/** A file with a hostile name. */
export const formBody = (file: Buffer, payload: string): Body => ({
  type: 'multipart/form-data; boundary=boundaryOfTheForm',
  bytes: formOf(file, payload.replaceAll('"', '%22').replaceAll('/', '_')),
});

/** Columns, values, ids and bad rows of a file. */
export function fileOf(payload: string): Buffer {
  const quoted = `"${payload.replaceAll('"', '""')}"`;
  return Buffer.from(
    [
      `first_name,last_name,date,street,${quoted}`,
      `Mary,${quoted},2016-10-01,${quoted},${quoted}`,
      `${quoted},x,no date,x,${quoted}`,
    ].join('\n'),
  );
}
