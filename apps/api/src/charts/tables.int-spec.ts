import { ChartVersionWatch, type CumulativeDonorsRow } from '@donorlens/charts';
import { PG_POOL } from '@donorlens/database';
import { type Pool } from 'pg';
import { gunzipSync } from 'node:zlib';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { ANA, BEN, OF_ANA, OF_BEN, storeCampaign, storeNextGift } from '../../../../test/support/fec-data/campaign';
import { until } from '../../../../test/support/until';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';
import { TableBodies } from './table-bodies';
import { TableReader } from './table-reader';

const BASE = '/data-charts/v1';

describe('the files of endpoints 6 to 9', () => {
  let api: RunningApi;
  let pool: Pool;
  const logged: string[] = [];
  beforeAll(async () => {
    api = await runningApi({}, true, (line) => logged.push(line));
    pool = api.app.get<Pool>(PG_POOL);
    await storeCampaign(pool);
    await api.app.get(ChartVersionWatch).refreshNow();
  });
  afterAll(() => api.close());

  const send = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
    api.send(BASE + path, { method, headers });
  const textOf = async (path: string): Promise<string> => (await send(path)).text();
  const faultOf = async (path: string): Promise<unknown> => {
    const response = await send(path);
    const { errors } = (await response.json()) as { errors?: { pointer: string; detail: string }[] };
    return [response.status, errors?.map(({ pointer, detail }) => `${pointer} ${detail}`)];
  };

  it('count donors by age for a committee and a cycle', async () => {
    expect(await textOf(`/age_distribution/committee?committee_id=${OF_ANA}&cycle=2016`)).toBe(
      `CYCLE,CMTE_ID,AGE,DONORS,CONTRIBUTIONS,AMOUNT\n2016,${OF_ANA},40,2,3,60.50\n2016,${OF_ANA},,1,1,25.00\n`,
    );
    expect(await textOf(`/age_distribution/committee?committee_id=${OF_BEN}&basis=adult`)).toBe(
      `CYCLE,CMTE_ID,AGE,DONORS,CONTRIBUTIONS,AMOUNT\n2016,${OF_BEN},44,1,1,25.00\n`,
    );
  });

  it('count donors day by day, including days without a new donor', async () => {
    expect(await textOf(`/cumulative_donors/candidate?candidate_id=${ANA}&cycle=2016`)).toBe(
      `CYCLE,CAND_ID,REF_DATE,CUMUL_DONORS\n2016,${ANA},2015-01-01,1\n2016,${ANA},2015-01-02,1\n` +
        `2016,${ANA},2015-01-03,2\n2016,${ANA},2015-01-04,3\n`,
    );
  });

  it('break down the donors of a candidate', async () => {
    const rowsOf = async (path: string) => (await textOf(path)).split('\n').slice(1, -1);
    const of = `candidate?candidate_id=${ANA}&cycle=2016`;
    expect(await textOf(`/breakdown/${of}&by=gender&by=income`)).toBe(
      'CYCLE,CAND_ID,BY,VALUE,DONORS,CONTRIBUTIONS,AMOUNT\n' +
        `2016,${ANA},gender,f,1,2,35.50\n2016,${ANA},gender,m,1,1,25.00\n2016,${ANA},gender,,1,1,25.00\n` +
        `2016,${ANA},income,50000-59999,2,3,60.50\n2016,${ANA},income,,1,1,25.00\n`,
    );
    expect(await textOf(`/breakdown/candidate?candidate_id=${BEN}&by=age&basis=adult`)).toContain(',age,40-49,1,1,');
    expect(await rowsOf(`/donor_size/${of}`)).toEqual([`2016,${ANA},0-199,3,4,85.50`]);
    expect(await rowsOf(`/retention/${of}`)).toEqual([`2016,${ANA},3,,,,`]);
    expect(await rowsOf(`/overlap/${of}`)).toEqual([]);
  });

  it('find candidates by part of the name, ignoring case and accents, and treat % and _ literally', async () => {
    const search = async (part: string): Promise<string[]> =>
      (await textOf(`/candidate/search?name_part=${encodeURIComponent(part)}`))
        .split('\n')
        .slice(1, -1)
        .map((line) => line.slice(0, 14));
    expect(await search('ana é')).toEqual([`2016,${ANA}`, `2020,${ANA}`]);
    expect(await search('ÁNA E')).toEqual([`2016,${ANA}`, `2020,${ANA}`]);
    expect(await search('0%')).toEqual([`2016,${BEN}`]);
    expect(await search('M_D')).toEqual([]);
    expect(await textOf('/candidate/search?name_part=ben&name_part=ana&cycle=2016')).toBe(
      'CYCLE,CAND_ID,CAND_NAME,CAND_PTY_AFFILIATION,CAND_ELECTION_YR,CAND_OFFICE_ST,CAND_OFFICE,CAND_OFFICE_DISTRICT,' +
        'CAND_ICI,CAND_STATUS,CAND_PCC,CAND_ST1,CAND_ST2,CAND_CITY,CAND_ST,CAND_ZIP\n' +
        `2016,${ANA},"MADEUP, ANA É.",IND,2016,US,P,00,O,C,,,,,,\n2016,${BEN},"'=CMD, BEN 100%",IND,2016,US,P,00,O,C,,,,,,\n`,
    );
    expect(await textOf('/candidate/search?name_part=ben&raw=true')).toContain(`,"=CMD, BEN 100%",`);
  });

  it('require the office for a candidate who does not run for President', async () => {
    const fault = [400, ['/query/candidate_id has a candidate for House: add office=H']];
    expect(await faultOf('/breakdown/candidate?candidate_id=H0ZZ01001')).toEqual(fault);
    expect(await faultOf('/contributions/search?candidate_id=H0ZZ01001')).toEqual(fault);
    for (const id of ['H0ZZ01001', 'H8C006211'])
      // some candidate ids of the FEC have no state code
      expect((await send(`/breakdown/candidate?candidate_id=${id}&office=H`)).status).toBe(200);
  });

  it('find the committees of candidates', async () => {
    expect(await textOf('/committee/candidate/search?name_part=madeup&cycle=2020')).toBe(
      'CYCLE,CAND_ID,CAND_NAME,CAND_PTY_AFFILIATION,CAND_ELECTION_YR,LINKAGE_DSGN,LINKAGE_TP,CMTE_ID,CMTE_NM,TRES_NM,' +
        'CMTE_ST1,CMTE_ST2,CMTE_CITY,CMTE_ST,CMTE_ZIP,CMTE_DSGN,CMTE_TP,CMTE_PTY_AFFILIATION,CMTE_FILING_FREQ,ORG_TP,' +
        'CONNECTED_ORG_NM\n' +
        `2020,${ANA},"MADEUP, ANA É.",IND,2016,P,P,${OF_ANA},"FRIENDS, ${OF_ANA}",,,,,,,P,P,IND,Q,,\n`,
    );
  });

  it.each([
    '/age_distribution/committee?committee_id=C99999999',
    '/cumulative_donors/candidate?candidate_id=P99999999&cycle=2016',
    '/breakdown/candidate?cycle=1980',
    '/candidate/search?name_part=unknown',
    '/committee/candidate/search?cycle=1980',
  ])('have only a header line if nothing matches: %s', async (path) => {
    const response = await send(path);
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(/^CYCLE,[A-Z0-9_,]+\n$/);
  });

  it('have the specified headers, also for HEAD, and a link in a browser downloads the CSV', async () => {
    const path = `/age_distribution/committee?committee_id=${OF_ANA}`;
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    for (const response of [await send(path), await send(path, {}, 'HEAD'), await send(path, { accept })]) {
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename=results.csv',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringContaining('ETag') as string,
        'cache-control': 'private, max-age=3600',
        vary: 'Accept, Accept-Encoding',
        etag: expect.stringMatching(/^"[\w-]+"$/) as string,
        'last-modified': expect.stringMatching(/ GMT$/) as string,
      });
    }
    expect(await (await send(path, {}, 'HEAD')).text()).toBe('');
  });

  it('have the file name of the query, which may contain only plain characters', async () => {
    const path = `/age_distribution/committee?committee_id=${OF_ANA}`;
    for (const format of ['csv', 'json', 'xlsx', 'parquet'])
      expect((await send(`${path}&format=${format}&filename=ages-ana`)).headers.get('content-disposition')).toBe(
        `attachment; filename=ages-ana.${format}`,
      );
    for (const name of ['a%22b', 'a%0Ab', '', 'a/b']) expect((await send(`${path}&filename=${name}`)).status).toBe(400);
  });

  it('have a request id, a rate limit header and a log line, like every response', async () => {
    const key = await api.issue({ requestsPerMinute: 60 });
    const response = await send(`/candidate/search?cycle=2016`, { 'x-api-key': key });
    const id = response.headers.get('x-request-id')!;
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'ratelimit-policy': '"requests";q=60;w=60',
      'x-content-type-options': 'nosniff',
      'content-length': String((await response.arrayBuffer()).byteLength),
    });
    await until('the line is written', () => logged.some((line) => line.includes(id) && line.includes('"status":200')));
  });

  it('are JSON on request, with numbers and null; the format parameter overrides Accept', async () => {
    const path = `/age_distribution/committee?committee_id=${OF_ANA}&cycle=2016`;
    const expected = {
      results: [
        { cycle: 2016, cmte_id: OF_ANA, age: 40, donors: 2, contributions: 3, amount: 60.5 },
        { cycle: 2016, cmte_id: OF_ANA, age: null, donors: 1, contributions: 1, amount: 25 },
      ],
    };
    expect(await (await send(path, { accept: 'application/json' })).json()).toEqual(expected);
    const response = await send(`${path}&format=json`, { accept: 'text/csv' });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual(expected);
    expect(await (await send(`${path}&format=csv`, { accept: 'application/json' })).text()).toMatch(/^CYCLE/);
  });

  it('require one of their own parameters, and reject invalid values', async () => {
    const most = (name: string, value: string, count: number): string =>
      Array(count).fill(`${name}=${value}`).join('&');
    expect(await faultOf('/age_distribution/committee')).toEqual([
      400,
      ['/query/committee_id is needed, unless cycle is given'],
    ]);
    expect(await faultOf('/candidate/search?raw=true&format=csv')).toContain(400);
    expect(await faultOf('/cumulative_donors/candidate?candidate_id=S00000001')).toContain(400);
    expect(await faultOf('/cumulative_donors/candidate?cycle=2019')).toEqual([
      400,
      ['/query/cycle must be an even year: 2019 belongs to the cycle 2020'],
    ]);
    expect(await faultOf('/cumulative_donors/candidate?cycle=2016,2020')).toContain(400);
    expect(await faultOf('/cumulative_donors/candidate?cycle=')).toContain(400);
    const accepted = 'This endpoint accepts candidate_id, cycle, office, format, raw, bom, filename';
    expect(await faultOf('/cumulative_donors/candidate?cycle=2016&committee_id=C00000001')).toEqual([
      400,
      [`/query/committee_id is an unknown parameter. ${accepted}`],
    ]);
    expect(await faultOf('/cumulative_donors/candidate?cycles=2016')).toEqual([
      400,
      [`/query/cycles is an unknown parameter: did you mean cycle? ${accepted}`],
    ]);
    expect(await faultOf('/cumulative_donors/candidate?cycle=2016&name_part=ana')).toEqual([
      400,
      ['/query/name_part searches on the page only: add format=html'],
    ]);
    expect(await faultOf('/candidate/search?name_part=a&name_part=%CC%81%CC%81&name_part=a%00b')).toContain(400);
    expect(await faultOf('/breakdown/candidate?cycle=2016&by=age&by=shoe')).toContain(400);
    expect(await faultOf('/age_distribution/committee?cycle=2016&basis=adult&basis=all')).toContain(400);
    expect(await faultOf('/age_distribution/committee?cycle=2016&format=xml')).toContain(400);
    expect((await send(`/candidate/search?${most('cycle', '2016', 100)}`)).status).toBe(200);
    expect((await send(`/candidate/search?${most('cycle', '2016', 101)}`)).status).toBe(400);
    expect((await send(`/candidate/search?${most('a', '', 1001)}&cycle=2016`)).status).toBe(400);
  });

  it('have the same ETag for equivalent queries, different ETags otherwise, and 304 for a known ETag', async () => {
    const tagOf = async (path: string, headers = {}): Promise<string> =>
      (await send(path, headers)).headers.get('etag')!;
    const one = await tagOf(`/breakdown/candidate?candidate_id=${ANA}&candidate_id=${BEN}&cycle=2016`);
    const other = `/breakdown/candidate?cycle=2016&candidate_id=${BEN}&format=csv&cycle=2016&candidate_id=${ANA.toLowerCase()}`;
    expect(await tagOf(other)).toBe(one);
    expect(await tagOf(`${other}&raw=true`)).not.toBe(one);
    expect(await tagOf(`${other}&by=age`)).not.toBe(one);
    expect(await tagOf(other.replace('csv', 'json'))).not.toBe(one);
    for (const known of [one, `W/${one}`, `"other", ${one}`, '*']) {
      const response = await send(other, { 'if-none-match': known });
      expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', one]);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
    expect((await send(other, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('answer 304 to If-Modified-Since of the same second or later, unless there is If-None-Match', async () => {
    const path = `/breakdown/candidate?candidate_id=${ANA}&cycle=2016`;
    const modified = (await send(path)).headers.get('last-modified')!;
    const at = (ms: number): string => new Date(Date.parse(modified) + ms).toUTCString();
    const statusFor = async (known: Record<string, string>): Promise<number> => (await send(path, known)).status;
    expect(await statusFor({ 'if-modified-since': modified })).toBe(304);
    expect(await statusFor({ 'if-modified-since': at(1000) })).toBe(304);
    expect(await statusFor({ 'if-modified-since': at(-1000) })).toBe(200);
    expect(await statusFor({ 'if-modified-since': 'yesterday' })).toBe(200);
    expect(await statusFor({ 'if-modified-since': modified, 'if-none-match': '"other"' })).toBe(200);
  });

  it('are gzipped if the client accepts gzip, with a different ETag', async () => {
    const path = '/cumulative_donors/candidate?cycle=2016&cycle=2020';
    const plain = await send(path, { 'accept-encoding': 'identity' });
    const gzipped = await rawGet(`${api.url}${BASE}${path}`, { 'x-api-key': api.key, 'accept-encoding': 'gzip, br' });
    expect(gzipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzipped.body).toString()).toBe(await plain.text());
    expect(gzipped.headers.etag).not.toBe(plain.headers.get('etag'));
    const again = { 'accept-encoding': 'gzip', 'if-none-match': String(gzipped.headers.etag) };
    expect((await send(path, again)).status).toBe(304);
  });

  describe('that are long', () => {
    const path = '/cumulative_donors/candidate?cycle=1998';
    const rows = Array<CumulativeDonorsRow>(300_000).fill({
      cycle: 1998,
      candidateId: ANA,
      date: '1997-01-01',
      donors: 1,
    });
    const longer = Array<CumulativeDonorsRow>(2_000_000).fill(rows[0]);
    beforeAll(() => {
      const tables = api.app.get(TableReader);
      const read = tables.read.bind(tables);
      const version = { id: '7', at: new Date('2026-01-02') };
      jest.spyOn(tables, 'read').mockImplementation((file, lists) => {
        if (lists.cycle[0] === '1998') return Promise.resolve({ version, rows });
        return lists.cycle[0] === '1996' ? Promise.resolve({ version, rows: longer }) : read(file, lists);
      });
    });
    afterAll(() => jest.restoreAllMocks());

    it('are streamed with the same headers but no length, also gzipped, and with 304', async () => {
      const plain = await send(path, { 'accept-encoding': 'identity' });
      const text = await plain.text();
      expect([text.length > 8 * 1024 * 1024, text.split('\n').length]).toEqual([true, rows.length + 2]);
      expect(Object.fromEntries(plain.headers)).toMatchObject({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename=results.csv',
        'access-control-allow-origin': '*',
        'data-version': 'charts-7',
        'transfer-encoding': 'chunked',
        'x-request-id': expect.any(String) as string,
      });
      expect(plain.headers.has('content-length')).toBe(false);
      const gzipped = await rawGet(`${api.url}${BASE}${path}`, { 'x-api-key': api.key, 'accept-encoding': 'gzip' });
      expect([gzipped.headers['content-encoding'], gunzipSync(gzipped.body).toString() === text]).toEqual([
        'gzip',
        true,
      ]);
      const etag = plain.headers.get('etag')!;
      expect(gzipped.headers.etag).toBe(etag.replace(/"$/, '-gzip"'));
      const known = { 'accept-encoding': 'identity', 'if-none-match': etag };
      expect((await send(path, known)).status).toBe(304);
      const head = await send(path, { 'accept-encoding': 'identity' }, 'HEAD');
      expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
      const json = await send(`${path}&format=json`);
      expect(((await json.json()) as { results: unknown[] }).results).toHaveLength(rows.length);
    });

    it('are sent to 64 slow clients at a time; others get Retry-After until clients disconnect', async () => {
      let sockets: Socket[] = [];
      const close = (): void => {
        for (const socket of sockets) socket.destroy();
        sockets = [];
      };
      const opened = async (times: number): Promise<string> => {
        const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
        sockets.push(socket);
        const requested = `GET ${BASE}/cumulative_donors/candidate?cycle=1996 HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${api.key}\r\n\r\n`;
        socket.write(requested.repeat(times));
        const [begin] = (await once(socket, 'data')) as [Buffer];
        socket.pause();
        return begin.toString('latin1');
      };
      const openedAtOnce = (count: number): Promise<string[]> =>
        Promise.all(Array.from({ length: count }, () => opened(1)));
      const leave = (begins: readonly string[]): number =>
        begins.filter((one) => one.startsWith('HTTP/1.1 200 ')).length;
      try {
        const begins = [await opened(70), ...(await openedAtOnce(65))]; // 70 on one connection run in sequence
        expect(leave(begins)).toBe(64);
        for (const begin of begins.filter((one) => !one.startsWith('HTTP/1.1 200 ')))
          expect(begin).toMatch(/^HTTP\/1\.1 503 [^]*^retry-after: 10\r$/im);
        expect((await send('/candidate/search?cycle=2012')).status).toBe(200);
        close();
        await until('all of them can leave again', async () => {
          const all = leave(await openedAtOnce(64)) === 64;
          if (!all) close();
          return all;
        });
      } finally {
        close();
      }
    });
  });

  it('are sent without an SQL query if they were requested before', async () => {
    const path = `/cumulative_donors/candidate?candidate_id=${ANA}`;
    const before = await textOf(path);
    const connect = jest.spyOn(pool, 'connect');
    const query = jest.spyOn(pool, 'query');
    try {
      expect(await textOf(path)).toBe(before);
      const ofTheFile = query.mock.calls.filter(([sql]) => !String(sql).includes('pointer')); // polled every second
      const ofOurs = connect.mock.calls.filter((call: readonly unknown[]) => call.length === 0); // not by pool.query
      expect([ofOurs, ofTheFile]).toEqual([[], []]);
    } finally {
      connect.mockRestore();
      query.mockRestore();
    }
  });

  it('change with the charts, and are made in the background before the next request', async () => {
    const path = `/cumulative_donors/candidate?candidate_id=${ANA}&cycle=2016`;
    const old = await send(path);
    await storeNextGift(pool);
    await api.app.get(ChartVersionWatch).refreshNow();
    await api.app.get(TableBodies).refill();
    const query = jest.spyOn(pool, 'query');
    const response = await send(path, { 'if-none-match': old.headers.get('etag')! });
    expect(query.mock.calls.filter(([sql]) => String(sql).includes('cumulative_donors'))).toEqual([]);
    query.mockRestore();
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('2015-01-04,4\n');
    expect(response.headers.get('etag')).not.toBe(old.headers.get('etag'));
  });

  it('can be read by pages of any origin, as can their errors', async () => {
    for (const path of ['/candidate/search', '/nowhere', '/candidate/search?cycle=2016&token=wrong']) {
      const response = await fetch(api.url + BASE + path);
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('content-type')).toBe('application/problem+json');
    }
    const headers = { origin: 'https://example.org', 'access-control-request-method': 'GET' };
    const preflight = await fetch(`${api.url}${BASE}/candidate/search`, { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('X-API-Key');
  });

  it('accept the key as token, and answer a key without the scope with 403', async () => {
    const path = `${BASE}/candidate/search?cycle=2016`;
    expect((await fetch(`${api.url}${path}&token=${api.key}`)).status).toBe(200);
    expect((await fetch(`${api.url}${path}&apiKey=${api.key}`)).status).toBe(401);
    const headers = { 'x-api-key': await api.issue({ scopes: ['enrich:read', 'charts:rows'] }) };
    expect((await api.send(path, { headers })).status).toBe(403);
  });
});

/** Does not decompress the body, unlike fetch. */
async function rawGet(url: string, headers: Record<string, string>) {
  const [response] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
  return { headers: response.headers, body: await buffer(response) };
}

it('the files answer 503 with Retry-After before any data is loaded', async () => {
  const api = await runningApi({}, false);
  for (const path of ['/candidate/search?cycle=2016', '/cumulative_donors/candidate?cycle=2016']) {
    const { status, headers } = await api.send(BASE + path);
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  }
  await api.close();
});
