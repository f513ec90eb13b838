import { type Release } from '@donorlens/reference-data';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';
import { sampleTables } from '../../../../test/support/reference-data/sample-tables';

describe('endpoints 1 to 4 over HTTP', () => {
  let api: RunningApi;
  let release: Release;
  beforeAll(async () => {
    api = await runningApi();
    release = await sampleTables();
  });
  afterAll(() => api.close());

  const ageQueries = [
    { date: '2017-07-01', name: 'Mary' },
    { date: '2017-07-01', name: 'Nosuchname' },
    { date: '2017-07-01', name: 'JAMES', id: 'mine' },
    { date: '2017-07-01', name: ' ' },
  ];

  describe('POST /enrich/v1/age_gender', () => {
    it('answers 200 in the order of the queries, with only the specified fields', async () => {
      const answer = await api.post('/enrich/v1/age_gender', { queries: ageQueries });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(await answer.text()).toMatch(
        /^\{"results":\[\{"age":\d+,"gender":"f"\},\{"age":null,"gender":null\},\{"age":\d+,"gender":"m","id":"mine"\},\{"age":null,"gender":null\}\]\}$/,
      );
    });

    it('has the same headers for any number of queries', async () => {
      const typeOf = async (path: string, query: object, many: number): Promise<string | null> => {
        const answer = await api.post(path, { queries: Array.from({ length: many }, () => query) });
        expect(((await answer.json()) as { results: unknown[] }).results).toHaveLength(many);
        return answer.headers.get('content-type');
      };
      for (const [path, query] of [
        ['/enrich/v1/age_gender', ageQueries[0]],
        ['/enrich/v1/age_gender', ageQueries[2]],
        ['/enrich/v1/ethnicity', { surname: 'Smith', year: 2016 }],
        ['/enrich/v1/contributions', { surname: 'Smith', date: '2016-10-01' }],
      ] as const)
        expect([await typeOf(path, query, 1), await typeOf(path, query, 1_001)]).toEqual(
          Array(2).fill('application/json; charset=utf-8'),
        );
    });

    it('reports the data release, and forbids caching', async () => {
      const { headers } = await api.post('/enrich/v1/age_gender', { queries: ageQueries });
      expect(headers.get('data-version')).toMatch(/^sample\.[0-9a-f]{6}$/);
      expect(headers.get('cache-control')).toBe('private, no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('gives the same response with a trailing slash, gzip, a byte order mark and unknown members', async () => {
      const { gzipSync } = await import('node:zlib');
      const plain = await (await api.post('/enrich/v1/age_gender', { queries: ageQueries })).text();
      const text = JSON.stringify({ queries: ageQueries });
      for (const [path, body, headers] of [
        ['/enrich/v1/age_gender/', text, {}],
        ['/enrich/v1/age_gender', gzipSync(text), { 'content-encoding': 'gzip' }],
        ['/enrich/v1/age_gender', `\ufeff${text}`, {}],
        ['/enrich/v1/age_gender', JSON.stringify({ queries: ageQueries.map((one) => ({ ...one, more: [1] })) }), {}],
        ['/enrich/v1/age_gender', text, { 'content-type': 'Application/JSON; charset=utf-8' }],
      ] as const) {
        const answer = await api.post(path, body, headers);
        expect([answer.status, await answer.text()]).toEqual([200, plain]);
      }
    });

    it('adds probability, sample size, quartiles and release with detail=true', async () => {
      const { results } = (await (
        await api.post('/enrich/v1/age_gender?detail=true', { queries: ageQueries })
      ).json()) as { results: Record<string, unknown>[] };
      expect(Object.keys(results[0])).toEqual([
        'age',
        'gender',
        'gender_probability',
        'female_share_living',
        'sample_size',
        'age_q25',
        'age_q75',
        'data_release',
      ]);
      expect(results[0].gender_probability).toBeGreaterThan(0.5);
      expect(results[1]).toMatchObject({ age: null, sample_size: 0, gender_probability: null, age_q25: null });
      const plain = (await (await api.post('/enrich/v1/age_gender', { queries: ageQueries })).json()) as {
        results: object[];
      };
      results.forEach((result, at) => expect(result).toMatchObject(plain.results[at]));
    });

    it('counts only people of at least the minimum age with min_age', async () => {
      const at = async (path: string) =>
        ((await (await api.post(path, { queries: ageQueries })).json()) as { results: { age: number }[] }).results[0]
          .age;
      const everybody = await at('/enrich/v1/age_gender');
      const grown = await at('/enrich/v1/age_gender?min_age=60');
      expect(grown).toBeGreaterThanOrEqual(60);
      expect(grown).toBeGreaterThan(everybody);
    });

    it('returns the computed age for every date, including the limits of the calendar', async () => {
      const dates = ['1000-01-01', '1880-01-01', '1950-02-28', '2016-02-29', '2150-01-01', '9999-12-31'];
      const { results } = (await (
        await api.post('/enrich/v1/age_gender', { queries: dates.map((date) => ({ date, name: 'Mary' })) })
      ).json()) as { results: { age: number | null; gender: string }[] };
      const { ages } = release.demographics;
      const { parseCivilDay } = await import('@donorlens/primitives');
      expect(results.map(({ age }) => age ?? -1)).toEqual(
        dates.map((date) => ages.ageDirect(ages.nameIndex('Mary'), parseCivilDay(date))),
      );
      expect(new Set(results.map(({ gender }) => gender))).toEqual(new Set(['f']));
    });

    it('treats lone surrogates and NUL as an unknown name', async () => {
      const answer = await api.post(
        '/enrich/v1/age_gender',
        '{"queries":[{"date":"2017-07-01","name":"\\ud800\\u0000"}]}',
      );
      expect([answer.status, await answer.text()]).toEqual([200, '{"results":[{"age":null,"gender":null}]}']);
    });
  });

  describe('POST /enrich/v1/ethnicity', () => {
    const fields =
      '"pct2prace":[\\d.]+,"pctaian":[\\d.]+,"pctapi":[\\d.]+,"pctblack":[\\d.]+,"pcthispanic":[\\d.]+,"pctwhite":[\\d.]+';
    const queries = [
      { surname: 'Garcia', year: 2016 },
      { surname: ' Nosuch Surnáme ', year: 2004, id: 'x' },
      { surname: 'SMITH', year: 2005 },
    ];

    it('returns the fields in the specified order, with the surname unchanged', async () => {
      const answer = await api.post('/enrich/v1/ethnicity/', { queries });
      expect(answer.status).toBe(200);
      const nulls =
        '"pct2prace":null,"pctaian":null,"pctapi":null,"pctblack":null,"pcthispanic":null,"pctwhite":null,"race":null';
      expect(await answer.text()).toMatch(
        new RegExp(
          `^\\{"results":\\[\\{${fields},"race":"hispanic","surname":"Garcia"\\},\\{${nulls},"surname":" Nosuch Surnáme ","id":"x"\\},\\{${fields},"race":"\\w+","surname":"SMITH"\\}\\]\\}$`,
        ),
      );
    });

    it('returns the same bytes for GET as in the bulk result', async () => {
      const bulk = await (await api.post('/enrich/v1/ethnicity', { queries: [queries[0]] })).text();
      for (const path of [
        '/enrich/v1/ethnicity/surname/Garcia/year/2016',
        '/enrich/v1/ethnicity/surname/Garcia/year/2016/',
      ]) {
        const answer = await api.send(path);
        expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
        expect(`{"results":[${await answer.text()}]}`).toBe(bulk);
      }
    });

    it('adds census, spelling, suppression and tie with detail=true', async () => {
      const answer = await api.send('/enrich/v1/ethnicity/surname/Garcia/year/2004?detail=true');
      expect(await answer.json()).toMatchObject({ census: 2000, matched_surname: 'GARCIA', tie: false });
      const unknown = await api.send('/enrich/v1/ethnicity/surname/Nosuchsurname/year/2016?detail=true');
      expect(await unknown.json()).toMatchObject({ census: 2010, matched_surname: null, suppressed: [], race: null });
    });

    it('returns JSON for any Accept header, and a page or picture only with the format parameter', async () => {
      const path = '/enrich/v1/ethnicity/surname/Garcia/year/2016';
      const typeOf = async (query: string, headers = {}): Promise<string | null> =>
        (await api.send(path + query, { headers })).headers.get('content-type');
      const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'sec-fetch-mode': 'navigate' };
      for (const headers of [{}, { accept: '*/*' }, { accept: 'text/html' }, browser])
        expect(await typeOf('', headers)).toBe('application/json; charset=utf-8');
      expect(await typeOf('?format=json', browser)).toBe('application/json; charset=utf-8');
      expect(await typeOf('?format=html', { accept: 'application/json' })).toBe('text/html; charset=utf-8');
      expect(await typeOf('?format=svg')).toBe('image/svg+xml; charset=utf-8');
      expect((await api.send(`${path}?format=csv`)).status).toBe(400);
      const page = await (await api.send(`${path}?format=html`)).text();
      expect(page.replace(/<[^>]*>/g, '')).toContain('identified as Hispanic in 2010');
    });

    it('redirects the form of its page to the URL of the surname', async () => {
      const answer = await api.send('/enrich/v1/ethnicity/ask?surname=De%20la%20%C3%91/x&year=2016');
      expect([answer.status, answer.headers.get('location')]).toEqual([
        303,
        '/enrich/v1/ethnicity/surname/De%20la%20%C3%91%2Fx/year/2016?format=html',
      ]);
    });

    it('returns a surname with accents, spaces and a slash unchanged', async () => {
      const answer = await api.send(`/enrich/v1/ethnicity/surname/${encodeURIComponent(' Ñuñ/ez ')}/year/2016`);
      expect(await answer.json()).toMatchObject({ surname: ' Ñuñ/ez ' });
    });
  });

  describe('GET /enrich/v1/age_gender/name/{name}/date/{date}', () => {
    const path = '/enrich/v1/age_gender/name/Mary/date/2017-07-01';
    const typeOf = async (suffix: string, accept?: string) =>
      (await api.send(path + suffix, { headers: { 'x-api-key': api.key, ...(accept && { accept }) } })).headers.get(
        'content-type',
      );

    it('returns a page by default and to browsers, and other types on request', async () => {
      const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
      expect(await typeOf('')).toBe('text/html; charset=utf-8');
      expect(await typeOf('/', '*/*')).toBe('text/html; charset=utf-8');
      expect(await typeOf('', browser)).toBe('text/html; charset=utf-8');
      expect(await typeOf('', 'application/json')).toMatch(/^application\/json/);
      expect(await typeOf('?format=json', browser)).toMatch(/^application\/json/);
      expect(await typeOf('?format=csv')).toBe('text/csv; charset=utf-8');
      expect(await typeOf('', 'image/svg+xml')).toBe('image/svg+xml; charset=utf-8');
    });

    it('returns the same bytes as the bulk result for JSON', async () => {
      const bulk = await (
        await api.post('/enrich/v1/age_gender', { queries: [{ date: '2017-07-01', name: 'Mary' }] })
      ).text();
      expect(`{"results":[${await (await api.send(`${path}?format=json`)).text()}]}`).toBe(bulk);
    });

    it('returns a page that uses only scripts and styles of this service, with a policy that enforces it', async () => {
      const answer = await api.send(path);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
      expect(answer.headers.get('vary')).toBe('Accept, Accept-Encoding, Cookie');
      const page = await answer.text();
      expect(page).toMatch(/^<!doctype html>/);
      expect(page).not.toMatch(
        /<script(?! type="module" src="\/assets\/| class="chart-data" type="application\/json")|style=|<style|https?:\/\/(?!www\.w3\.org)/,
      );
      const [, href] = /<link rel="stylesheet" href="([^"]+)"/.exec(page) ?? [];
      const styles = await fetch(api.url + href);
      expect([styles.status, styles.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
      expect(styles.headers.get('content-type')).toBe('text/css; charset=utf-8');
    });

    it('escapes the name, and reports an unknown name', async () => {
      const answer = await api.send(`/enrich/v1/age_gender/name/${encodeURIComponent('<b>"&\'</b>')}/date/2017-07-01`);
      expect(answer.status).toBe(200);
      const page = await answer.text();
      expect(page).not.toContain('<b>"');
      expect(page).toContain('is not in the sample');
    });

    it('redirects its form to the URL of the name', async () => {
      const answer = await api.send('/enrich/v1/age_gender/ask?name=Ann%20Marie&date=2017-07-01&min_age=18');
      expect([answer.status, answer.headers.get('location')]).toEqual([
        303,
        '/enrich/v1/age_gender/name/Ann%20Marie/date/2017-07-01?min_age=18',
      ]);
    });

    it('compares up to four names, on the page and in its files', async () => {
      const compared = `${path}?compare=Emma&compare=%20James&compare=Casey`;
      expect(await (await api.send(compared)).text()).toMatch(/<h1[^>]*>Of 4 names, /);
      expect((await api.send(`${compared}&format=svg`)).headers.get('content-type')).toContain('image/svg+xml');
      const lines = (await (await api.send(`${compared}&format=csv`)).text()).trimEnd().split('\n');
      const alone = (await (await api.send(`${path.replace(/[^/]+(?=\/date)/, 'Emma')}?format=csv`)).text()).trimEnd();
      expect(lines[0]).toBe('NAME,BIRTH_YEAR,BORN_M,BORN_F,LIVING_M,LIVING_F');
      expect(lines.filter((line) => line.startsWith('Emma,')).map((line) => line.slice('Emma,'.length))).toEqual(
        alone.split('\n').slice(1),
      );
      for (const query of [
        `${compared}&format=json`,
        `${compared}&age_basis=donors`,
        `${compared}&compare=Ann&compare=Ben`,
        `${path}?compare=${'x'.repeat(201)}`,
      ])
        expect((await api.send(query.startsWith('/') ? query : path + query)).status).toBe(400);
      const form = await api.send('/enrich/v1/age_gender/ask?name=Ann&date=2017-07-01&compare=Ben&compare=Cam');
      expect(form.headers.get('location')).toBe(
        '/enrich/v1/age_gender/name/Ann/date/2017-07-01?compare=Ben&compare=Cam&format=html',
      );
    });

    it('answers HEAD like GET, without a body', async () => {
      const answer = await api.send(path, { method: 'HEAD' });
      expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
        200,
        'text/html; charset=utf-8',
        '',
      ]);
    });
  });
});
