import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';

interface ProblemBody {
  readonly type: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: { readonly pointer: string; readonly detail: string }[];
}

describe('bad requests over HTTP', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi();
  });
  afterAll(() => api.close());

  const AGE = '/enrich/v1/age_gender';
  const BATCHES = '/enrich/v1/batches';
  const good = { date: '2017-07-01', name: 'Mary' };

  /** Parses the problem document of an error response. Every error has one, regardless of its origin. */
  async function problemOf(answer: Response): Promise<ProblemBody> {
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    const body = (await answer.json()) as ProblemBody;
    expect(body.status).toBe(answer.status);
    expect(body.type).toBe(`urn:donorlens:problem:${body.code}`);
    return body;
  }
  const posted = async (body: unknown, headers?: Record<string, string>, path = AGE) =>
    problemOf(await api.post(path, body, headers));

  it.each<[string, string | Buffer, string]>([
    ['malformed JSON', '{"queries":[', 'malformed-body'],
    ['an empty body', '', 'malformed-body'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'malformed-body'],
    ['JSON nested 100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000), 'invalid-request'],
    ['a __proto__ key', '{"queries":[{"date":"2017-07-01","name":"Mary","__proto__":{"x":1}}]}', 'malformed-body'],
    ['a constructor key', '{"queries":[{"date":"2017-07-01","name":"Mary"}],"constructor":{}}', 'malformed-body'],
    ['a list for a body', '[]', 'invalid-request'],
    ['null for a body', 'null', 'invalid-request'],
    ['a text for a body', '"queries"', 'invalid-request'],
    ['no queries', '{"queries":[]}', 'invalid-request'],
  ])('are rejected: %s', async (_what, body, code) => {
    const problem = await posted(body);
    expect([problem.status, problem.code === code || problem.code === 'malformed-body']).toEqual([400, true]);
  });

  it('are rejected if members are nested deeper than eight levels', async () => {
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;
    expect((await api.post(AGE, { queries: [{ ...good, more: nested(5) }] })).status).toBe(200);
    expect((await posted({ queries: [{ ...good, more: nested(6) }] })).code).toBe('malformed-body');
  });

  it('get a pointer to each error', async () => {
    const { errors } = await posted({
      queries: [
        good,
        { date: '2019-02-30', name: 'Mary' },
        { date: '20x0-01-01', name: 5 },
        { name: 'Mary' },
        null,
        { ...good, id: 7 },
        { ...good, name: 'x'.repeat(1_000_000) },
      ],
    });
    expect(errors?.map(({ pointer }) => pointer)).toEqual([
      '/queries/1/date',
      '/queries/2/date',
      '/queries/2/name',
      '/queries/3/date',
      '/queries/4',
      '/queries/5/id',
      '/queries/6/name',
    ]);
  });

  it('get pointers to errors in years and surnames', async () => {
    const queries = [{ surname: 'A', year: 999 }, { surname: 'A', year: '2010' }, { surname: null, year: 2010.5 }, {}];
    const { errors } = await posted({ queries }, {}, '/enrich/v1/ethnicity');
    expect(errors?.map(({ pointer }) => pointer)).toEqual([
      '/queries/0/year',
      '/queries/1/year',
      '/queries/2/surname',
      '/queries/2/year',
      '/queries/3/surname',
      '/queries/3/year',
    ]);
    expect(errors?.[1].detail).toBe('must be a number, without quotes');
  });

  it('get a list of at most 100 errors that never contains input', async () => {
    const secret = 'VERY-SECRET-NAME';
    const answer = await api.post(AGE, { queries: Array.from({ length: 500 }, () => ({ date: secret, name: 1 })) });
    const text = await answer.text();
    expect((JSON.parse(text) as ProblemBody).errors).toHaveLength(100);
    expect(text).not.toContain(secret);
  });

  it('are rejected with 10,001 queries, and the error names the batch endpoint', async () => {
    const body = JSON.stringify({ queries: Array.from({ length: 10_001 }, () => good) });
    const answer = await api.post(AGE, body);
    const problem = await problemOf(answer);
    expect([problem.status, problem.code]).toEqual([413, 'too-many-queries']);
    expect(problem.detail).toContain('/enrich/v1/batches');
    expect(answer.headers.get('link')).toContain('/enrich/v1/batches');
    expect((await api.post(AGE, { queries: Array.from({ length: 10_000 }, () => good) })).status).toBe(200);
  });

  it('are rejected with a body of 6 MB, plain, chunked or gzipped', async () => {
    const large = Buffer.alloc(6 * 1024 * 1024, 'x');
    for (const headers of [{}, { 'content-encoding': 'gzip' }] as Record<string, string>[]) {
      const problem = await posted(headers['content-encoding'] ? gzipSync(large) : large, headers);
      expect([problem.status, problem.code]).toEqual([413, 'body-too-large']);
      expect(problem.detail).toContain('/enrich/v1/batches');
    }
    const chunked = await api.send(AGE, {
      method: 'POST',
      headers: { 'x-api-key': api.key, 'content-type': 'application/json' },
      body: new Blob([large]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect((await problemOf(chunked)).status).toBe(413);
  });

  it('are rejected with a gzip bomb or truncated gzip', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    expect((await posted(bomb, { 'content-encoding': 'gzip' })).status).toBe(413);
    const cut = gzipSync(JSON.stringify({ queries: [good] })).subarray(0, -9);
    expect((await posted(cut, { 'content-encoding': 'gzip' })).code).toBe('malformed-body');
    expect((await posted('no gzip', { 'content-encoding': 'gzip' })).code).toBe('malformed-body');
  });

  it('get 415 for other content types and codings', async () => {
    for (const type of ['text/plain', 'text/csv', 'application/x-www-form-urlencoded', 'nonsense']) {
      const answer = await api.post(AGE, 'queries', { 'content-type': type });
      expect(answer.headers.get('accept-post')).toBe('application/json');
      expect(await answer.clone().text()).toContain('Send the header Content-Type with application/json.');
      expect((await problemOf(answer)).code).toBe('unsupported-media-type');
    }
    const brotli = await api.post(AGE, { queries: [good] }, { 'content-encoding': 'br' });
    expect(brotli.headers.get('accept-encoding')).toBe('gzip');
    expect((await problemOf(brotli)).code).toBe('unsupported-encoding');
  });

  it('get 404 for unknown URLs and 405 for unknown methods', async () => {
    expect((await problemOf(await api.send('/enrich/v2/age_gender'))).code).toBe('not-found');
    expect((await problemOf(await api.send('/nope/%3Cscript%3E'))).detail).not.toContain('script');
    for (const [path, method, allow] of [
      [AGE, 'GET', 'POST'],
      [`${AGE}/`, 'PUT', 'POST'],
      ['/enrich/v1/ethnicity/surname/A/year/2010', 'POST', 'GET, HEAD'],
      ['/health/live', 'DELETE', 'GET, HEAD'],
      ['/enrich/v1/batches', 'PATCH', 'GET, HEAD, POST'],
    ]) {
      const answer = await api.send(path, { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
      expect((await problemOf(answer)).code).toBe('method-not-allowed');
    }
  });

  it.each([
    ['/enrich/v1/age_gender/name/Mary/date/2019-02-30', '/path/date'],
    ['/enrich/v1/age_gender/name/Mary/date/today', '/path/date'],
    [`/enrich/v1/age_gender/name/${'x'.repeat(201)}/date/2019-02-28`, '/path/name'],
    ['/enrich/v1/age_gender/name/Mary/date/today?min_age=x', '/path/date,/query/min_age'],
    ['/enrich/v1/ethnicity/surname/Smith/year/20x0', '/path/year'],
    ['/enrich/v1/ethnicity/surname/Smith/year/999', '/path/year'],
    ['/enrich/v1/ethnicity/surname/Smith/year/x?detail=maybe', '/query/detail,/path/year'],
    ['/enrich/v1/ethnicity/surname/Smith/year/2010?detail=maybe', '/query/detail'],
    ['/enrich/v1/ethnicity/surname/Smith/year/2010?detail=true&detail=false', '/query/detail'],
    ['/enrich/v1/age_gender/name/Mary/date/2019-02-28?min_age=101', '/query/min_age'],
    ['/enrich/v1/age_gender/name/Mary/date/2019-02-28?format=pdf', '/query/format'],
    ['/enrich/v1/age_gender/ask?name=..&date=2019-02-28', '/query/name'],
    ['/enrich/v1/age_gender/ask?name=%2E&date=2019-02-28', '/query/name'],
    ['/enrich/v1/age_gender/ask?name=%ff&date=2019-02-28', '/query'],
    ['/enrich/v1/ethnicity/ask?surname=..&year=2019', '/query/surname'],
    ['/enrich/v1/ethnicity/ask?surname=Smith', '/query/year'],
    ['/enrich/v1/ethnicity/ask?surname=Smith&year=20', '/query/year'],
    ['/enrich/v1/ethnicity/surname/Smith/year/2010?format=csv', '/query/format'],
    ['/enrich/v1/batches?after=junk', '/query/after'],
    [`/enrich/v1/batches?${'x=1&'.repeat(1001)}`, '/query'],
    [`/enrich/v1/batches?${'x=1&'.repeat(101)}`, '/query'],
  ])('are rejected: %.60s', async (path, pointer) => {
    const { status, errors } = await problemOf(await api.send(path));
    expect([status, errors?.map((one) => one.pointer)]).toEqual([400, pointer.split(',')]);
  });

  it.each([
    [
      '/enrich/v1/ethnicity/surname/Smith/year/2010?Details=true',
      '/query/Details is an unknown parameter: did you mean detail? This endpoint accepts format, detail',
    ],
    [
      '/enrich/v1/ethnicity/surname/Smith/year/2010?quillfeather=1',
      '/query/quillfeather is an unknown parameter. This endpoint accepts format, detail',
    ],
    [
      '/enrich/v1/ethnicity/surname/Smith/year/2010?Quillfeather=1',
      '/query has an unknown parameter. This endpoint accepts format, detail',
    ],
    [
      '/enrich/v1/webhook-secret?quillfeather=1',
      '/query/quillfeather is an unknown parameter: this endpoint has no parameters',
    ],
  ])('get the name of the unknown parameter of %.60s, but no other text', async (path, expected) => {
    const { status, errors, detail } = await problemOf(await api.send(path));
    expect(detail).toBe(`${expected}.`);
    expect([status, errors?.map(({ pointer, detail }) => `${pointer} ${detail}`)]).toEqual([400, [expected]]);
  });

  it.each<[string, object, Record<string, string>]>([
    [AGE, { min_age: 18 }, { '/min_age': '?min_age=18' }],
    [AGE, { note: 1, detail: true, min_age: '18' }, { '/detail': '?detail=true', '/min_age': '?min_age=…' }],
    ['/enrich/v1/ethnicity', { detail: false }, { '/detail': '?detail=false' }],
    ['/enrich/v1/contributions', { ethnicity_basis: 'place' }, { '/ethnicity_basis': '?ethnicity_basis=…' }],
    [BATCHES, { type: 'age_gender', min_age: 18, 'map.name': 'N' }, { '/map.{field}': '?map.{field}=…' }],
  ])('are rejected if parameters of %s are in the body: %j', async (path, members, expected) => {
    const { status, code, errors } = await posted({ queries: [good], ...members }, {}, path);
    expect([status, code]).toEqual([400, 'invalid-request']);
    const faults = Object.entries(expected).map(([pointer, url]) => ({
      pointer,
      detail: `belongs in the URL: ${url}`,
    }));
    expect(errors).toEqual(faults);
  });

  it('do not include additional members of a body, even parameters of other endpoints', async () => {
    const body = { queries: [{ ...good, min_age: 60 }], note: 1, ethnicity_basis: 'place' };
    const plain = await (await api.post(AGE, { queries: [good] })).text();
    expect(await (await api.post(AGE, body)).text()).toBe(plain);
  });

  it('do not include parameters of mappings, or unknown parameters of pages', async () => {
    const rows = await api.post(
      '/enrich/v1/batches/preview?type=age_gender&map.first_name=who',
      'who,date\nMary,2016-01-01\n',
      {
        'content-type': 'text/csv',
      },
    );
    expect(rows.status).toBe(200);
    expect((await api.send('/?utm_source=letter')).status).toBe(200);
  });

  it('to the charts get problems that scripts of any origin can read', async () => {
    const tooLong = `/data-charts/v1/candidate/search?name_part=${'x'.repeat(9000)}`;
    const wrongKey = { headers: { 'x-api-key': 'wrong' } };
    const statuses = [
      await api.send('/data-charts/v1/candidate/search'),
      await api.send('/data-charts/v1/candidate/search?name_part=%ff'),
      await api.send('/data-charts/v1/candidate/search?cycle=2016', wrongKey),
      await api.send('/data-charts/v1/nothing'),
      await api.send('/data-charts'),
      await api.send('/data-charts/v1/%E0%A4%A'),
      await api.send('/data-charts/v1/candidate/search', { method: 'PUT' }),
      await api.send(tooLong),
    ].map(({ status, headers }) => [status, headers.get('access-control-allow-origin')]);
    expect(statuses).toEqual([400, 400, 401, 404, 404, 400, 405, 414].map((status) => [status, '*']));
  });

  it('get a page with the error if a browser opens a page', async () => {
    const answer = await api.send('/enrich/v1/age_gender/name/Mary/date/2019-02-30', {
      headers: { 'x-api-key': api.key, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await answer.text()).toContain('must be a real date');
  });

  it('get a page with the error at any URL if the client accepts only HTML', async () => {
    const tooLong = `/?x=${'x'.repeat(30_000)}`;
    const types = ['/enrich/v1/batches?limit=x', '/openapi.json?x=%ff', tooLong].map(async (path) => {
      const ofAccept = async (accept: string) =>
        (await api.send(path, { headers: { 'x-api-key': api.key, accept } })).headers.get('content-type');
      return [await ofAccept('text/html'), await ofAccept('text/html, */*;q=0.1')];
    });
    const cookie = 'x'.repeat(20_000);
    const longHeader = await api.send('/', { headers: { accept: 'text/html', cookie } });
    expect([longHeader.status, longHeader.headers.get('content-type')]).toEqual([431, 'text/html; charset=utf-8']);
    for (const [only, first] of await Promise.all(types)) {
      expect(only).toBe('text/html; charset=utf-8');
      expect(first).toBe('application/problem+json');
    }
  });

  /** Sends raw bytes and returns the raw response: requests that Node.js rejects never reach the router. */
  function raw(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1', () => socket.write(request));
      let answer = '';
      socket.setTimeout(20_000, () => socket.destroy(new Error('no answer')));
      socket.on('data', (part) => {
        answer += part.toString('latin1');
        if (answer.includes('\r\n\r\n') && answer.endsWith('}')) socket.end();
      });
      socket.on('close', () => resolve(answer)).on('error', reject);
    });
  }

  it.each([
    ['a bad percent-encoding', 'GET /%E0%A4%A HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['headers of 20 kB', `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['headers that Node.js rejects', `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
    ['a URL of 9,000 characters', `GET /${'x'.repeat(9000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 414],
    ['a URL of 30,000 characters', `GET /docs/${'x'.repeat(30_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 414],
    ['a request that names no host', 'GET /health/live HTTP/1.1\r\n\r\n', 400],
    ['an unknown expectation', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: nonsense\r\n\r\n', 417],
    ['no HTTP at all', 'HELLO\r\n\r\n', 400],
  ])('get a problem document: %s', async (_what, request, status) => {
    const answer = await raw(request);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain('content-type: application/problem+json');
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toMatchObject({ status });
  });

  it('get 408 if the client does not finish its headers', async () => {
    expect(await raw('GET / HTTP/1.1\r\nhost: x\r\nx-slow: ')).toMatch(/^HTTP\/1\.1 408 /);
  });
});
