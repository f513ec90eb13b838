import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { until } from '../../../../test/support/until';
import { type GeocoderRow } from '../geocoder';
import { GeocoderError } from '../geocoder-error';
import { CensusGeocoder, type CensusGeocoderOptions } from './census-geocoder';

const ROWS: GeocoderRow[] = [
  { id: 5, street: '1 Elm St', city: 'Newtown', state: 'PA', zip: '18940' },
  { id: 6, street: '2 Oak Ave', city: 'Newtown', state: 'PA', zip: '18940' },
];
/** Of the calls. */
const SETTINGS = { benchmark: 'Public_AR_Census2020', vintage: 'Census2010_Census2020' };
const ELM =
  '"5","1 Elm St, Newtown, PA, 18940","Match","Exact","1 ELM ST, NEWTOWN, PA, 18940","-74.93217,40.228761","1","R","42","017","104501","2003"\n';
const OAK = '"6","2 Oak Ave, Newtown, PA, 18940","No_Match"\n';

/** Answers every request with the raw bytes that the test has chosen. */
type Answerer = (socket: Socket, request: string) => void;
let answerer: Answerer;
let server: Server;
let url: string;
const requests: string[] = [];
const sockets = new Set<Socket>();
const geocoders: CensusGeocoder[] = [];

const isWhole = (request: string): boolean => {
  const head = request.indexOf('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(request)?.[1] ?? 0);
  return head >= 0 && request.length >= head + 4 + length;
};

beforeAll(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    let request = '';
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.setEncoding('latin1').on('data', (piece) => {
      request += String(piece);
      if (!isWhole(request)) return;
      requests.push(request);
      const whole = request;
      request = '';
      answerer(socket, whole);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/geocoder`;
});

afterEach(async () => {
  await Promise.all(geocoders.splice(0).map((geocoder) => geocoder.close()));
  requests.length = 0;
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((closed) => server.close(closed));
});

function geocoder(options: Partial<CensusGeocoderOptions> = {}): CensusGeocoder {
  const made = new CensusGeocoder({
    url,
    benchmark: 'Public_AR_Current',
    vintage: 'Census2020_Current',
    budgetMs: 20_000,
    ...options,
  });
  geocoders.push(made);
  return made;
}

const whole =
  (body: string, status = '200 OK', headers = ''): Answerer =>
  (socket) =>
    socket.write(`HTTP/1.1 ${status}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
/** Says that there is more, and sends no more. */
const begun = (body: string): string => `HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${body}`;

async function fault(work: Promise<unknown>): Promise<GeocoderError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof GeocoderError)) throw new Error('no GeocoderError', { cause: error });
  for (const secret of ['Elm', 'Newtown', '18940', '127.0.0.1', '-74.9']) {
    expect(error.message).not.toContain(secret);
    expect(JSON.stringify(error.values)).not.toContain(secret);
  }
  return error;
}

describe('a batch', () => {
  it('is one form with the settings of the call, and its rows are matched by id', async () => {
    answerer = whole(OAK + ELM);
    const { answers, unanswered } = await geocoder().locate(ROWS, SETTINGS);
    expect(answers.get(5)).toEqual({
      outcome: 'MATCH',
      isExact: true,
      matchedAddress: '1 ELM ST, NEWTOWN, PA, 18940',
      fips: '42017',
      tract: '104501',
      block: '2003',
    });
    expect(answers.get(6)).toEqual({ outcome: 'NO_MATCH' });
    expect(unanswered.size).toBe(0);
    expect(requests[0]).toMatch(/^POST \/geocoder\/geographies\/addressbatch HTTP\/1.1\r\n/);
    expect(requests[0]).toContain('\r\n\r\n5,1 Elm St,Newtown,PA,18940\n6,2 Oak Ave,Newtown,PA,18940\n\r\n');
    expect(requests[0]).toMatch(/name="benchmark"\r\n\r\nPublic_AR_Census2020\r\n/);
    expect(requests[0]).toMatch(/name="vintage"\r\n\r\nCensus2010_Census2020\r\n/);
  });

  it('reuses its connection', async () => {
    const ports = new Set<number | undefined>();
    answerer = (socket, request) => {
      ports.add(socket.remotePort);
      whole(OAK + ELM)(socket, request);
    };
    const one = geocoder();
    for (let calls = 0; calls < 3; calls++) {
      await one.locate(ROWS, SETTINGS);
      await setImmediate(); // the client lets a turn of the event loop pass before it takes a connection again
    }
    expect(ports.size).toBe(1);
  });

  it('of no rows sends no request', async () => {
    expect((await geocoder().locate([], SETTINGS)).answers.size).toBe(0);
    expect(requests).toEqual([]);
  });

  it('is read as Latin-1', async () => {
    answerer = (socket) => {
      const body = Buffer.from(ELM.replace('"1 ELM', '"1 PE\u00d1A'), 'latin1');
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    };
    expect((await geocoder().locate(ROWS, SETTINGS)).answers.get(5)).toMatchObject({
      matchedAddress: '1 PE\u00d1A ST, NEWTOWN, PA, 18940',
    });
  });

  it('is read up to the point where the connection breaks', async () => {
    answerer = (socket) => socket.write(begun(ELM + OAK.slice(0, 12)), () => socket.destroy());
    const { answers, unanswered } = await geocoder().locate(ROWS, SETTINGS);
    expect([...answers.keys()]).toEqual([5]);
    expect([...unanswered]).toEqual([[6, 'truncated']]);
  });

  it('is read up to the point where the answer stalls', async () => {
    answerer = (socket) => socket.write(begun(OAK));
    const { answers, unanswered } = await geocoder({ idleMs: 100, budgetMs: 600_000 }).locate(ROWS, SETTINGS);
    expect([...answers.keys()]).toEqual([6]);
    expect([...unanswered]).toEqual([[5, 'truncated']]);
  });

  it('is read up to the point where the time limit ends', async () => {
    answerer = (socket) => socket.write(begun(OAK));
    const { answers } = await geocoder({ budgetMs: 2_000 }).locate(ROWS, SETTINGS);
    expect([...answers.keys()]).toEqual([6]);
  });

  it.each<[string, Answerer, string]>([
    ['a web page', whole('<html><p>5, 6</p></html>'), 'not_csv'],
    ['an empty body', whole(''), 'not_csv'],
    ['JSON', whole('{"errors":["no"]}'), 'not_csv'],
    ['less than a row', (socket) => socket.write(begun(ELM.slice(0, 30)), () => socket.destroy()), 'truncated'],
    ['half a row', (socket) => socket.write(begun(ELM.slice(0, 90)), () => socket.destroy()), 'truncated'],
    ['nothing', (socket) => socket.destroy(), 'reset'],
    ['a reset', (socket) => socket.resetAndDestroy(), 'reset'],
    ['something else than HTTP', (socket) => socket.write('220 mail\r\n'), 'server_error'],
    ['400', whole('1 Elm St', '400 Bad Request'), 'refused'],
    ['500', whole('at 1 Elm St', '500 Internal Server Error'), 'server_error'],
    ['503', whole('', '503 Service Unavailable'), 'server_error'],
    ['a redirect', whole('', '302 Found', 'Location: http://127.0.0.1:9/\r\n'), 'redirected'],
    ['more than it was asked for', whole('x'.repeat(100_000)), 'too_large'],
  ])('answered with %s fails', async (_, answers, code) => {
    answerer = answers;
    expect((await fault(geocoder().locate(ROWS, SETTINGS))).code).toBe(code);
    expect(requests).toHaveLength(1);
  });

  it('accepts an answer in proportion to its rows', async () => {
    const many = Array.from({ length: 500 }, (_, id) => ({ ...ROWS[0], id, street: `${id} Elm St` }));
    answerer = whole(many.map(({ id }) => `"${id}","${id} Elm St, Newtown, PA, 18940","No_Match"\n`).join(''));
    expect((await geocoder().locate(many, SETTINGS)).answers.size).toBe(500);
  });

  it('returns the Retry-After', async () => {
    answerer = whole('', '429 Too Many Requests', 'Retry-After: 90\r\n');
    expect(await fault(geocoder().locate(ROWS, SETTINGS))).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 90_000,
    });
    answerer = whole('', '503 Service Unavailable', 'Retry-After: 5\r\n');
    expect(await fault(geocoder().locate(ROWS, SETTINGS))).toMatchObject({ code: 'rate_limited', retryAfterMs: 5000 });
  });

  it('fails if its time limit ends before the first byte', async () => {
    answerer = () => undefined;
    expect((await fault(geocoder({ budgetMs: 100 }).locate(ROWS, SETTINGS))).code).toBe('timeout');
  });

  it('waits for the first byte longer than for the next', async () => {
    answerer = (socket, request) => setTimeout(() => whole(OAK + ELM)(socket, request), 2000); // the client looks once a second
    expect((await geocoder({ idleMs: 100 }).locate(ROWS, SETTINGS)).answers.size).toBe(2);
  });

  it('fails if no server listens', async () => {
    const closed = createServer();
    await new Promise<void>((listening) => closed.listen(0, '127.0.0.1', listening));
    const { port } = closed.address() as AddressInfo;
    await new Promise((done) => closed.close(done));
    const error = await fault(geocoder({ url: `http://127.0.0.1:${port}` }).locate(ROWS, SETTINGS));
    expect(error).toMatchObject({ code: 'unreachable', values: { reason: 'ECONNREFUSED' } });
    const unknown = await fault(geocoder({ url: 'http://geocoder.invalid' }).locate(ROWS, SETTINGS));
    expect(unknown.code).toBe('unreachable');
  });

  it('ends at once if it is aborted: before it is sent, while waiting, and while receiving', async () => {
    answerer = () => undefined;
    expect((await fault(geocoder().locate(ROWS, SETTINGS, AbortSignal.abort()))).code).toBe('aborted');
    for (const answers of [() => undefined, (socket: Socket) => socket.write(begun(ELM))] as Answerer[]) {
      answerer = answers;
      const giveUp = new AbortController();
      const before = requests.length;
      const given = fault(geocoder().locate(ROWS, SETTINGS, giveUp.signal));
      await until('the request is there', () => requests.length > before);
      giveUp.abort();
      expect((await given).code).toBe('aborted');
    }
    await until('its connections are closed', () => sockets.size === 0);
  });

  it('does not wait for a connection beyond its limit or after an abort', async () => {
    const silent = url.replace('http:', 'https:'); // no server answers the TLS handshake
    const refused = await fault(geocoder({ url: silent, connectMs: 100 }).locate(ROWS, SETTINGS));
    expect(refused).toMatchObject({ code: 'unreachable', values: { reason: 'UND_ERR_CONNECT_TIMEOUT' } });
    await until('its connection is closed', () => sockets.size === 0);
    const giveUp = new AbortController();
    const given = fault(geocoder({ url: silent, connectMs: 600_000 }).locate(ROWS, SETTINGS, giveUp.signal));
    await until('it connects', () => sockets.size === 1);
    giveUp.abort();
    expect((await given).code).toBe('aborted');
  });

  it('ends when the geocoder is closed', async () => {
    answerer = () => undefined;
    const one = geocoder();
    const given = fault(one.locate(ROWS, SETTINGS));
    await until('the request is there', () => requests.length > 0);
    await one.close();
    expect((await given).code).toBe('aborted');
    expect((await fault(one.locate(ROWS, SETTINGS))).code).toBe('aborted');
  });
});

describe('the candidates of a tie', () => {
  it('are requested by the parts of the address', async () => {
    const matches = ['1 ELM ST, NEWTOWN, PA', '1 ELM CT, NEWTOWN, PA'].map((matchedAddress) => ({
      matchedAddress,
      coordinates: { x: -74.93217, y: 40.228761 },
      geographies: { '2020 Census Blocks': [{ GEOID: '420171045012003' }] },
    }));
    answerer = whole(JSON.stringify({ result: { addressMatches: matches } }));
    expect(await geocoder().candidates({ ...ROWS[0], street: '1 Elm & Peña, "A"' }, SETTINGS)).toEqual([
      { matchedAddress: '1 ELM ST, NEWTOWN, PA', fips: '42017', tract: '104501', block: '2003' },
      { matchedAddress: '1 ELM CT, NEWTOWN, PA', fips: '42017', tract: '104501', block: '2003' },
    ]);
    const asked = new URL(requests[0].split(' ')[1], url);
    expect(asked.pathname).toBe('/geocoder/geographies/address');
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      street: '1 Elm & Pena,  A',
      city: 'Newtown',
      state: 'PA',
      zip: '18940',
      ...SETTINGS,
      format: 'json',
    });
  });

  it('are requested with a street of the maximum length', async () => {
    answerer = whole('{"result":{"addressMatches":[]}}');
    await geocoder().candidates({ ...ROWS[0], street: `1 Elm St ${'Building '.repeat(12)}` }, SETTINGS);
    const street = new URL(requests[0].split(' ')[1], url).searchParams.get('street')!;
    expect(street.length).toBeLessThanOrEqual(100);
    expect(street).toMatch(/^1 Elm St Building Building /);
  });

  it.each<[string, Answerer, string]>([
    ['a web page', whole('<html></html>'), 'not_json'],
    ['half an answer', (socket) => socket.write(begun('{"result":'), () => socket.destroy()), 'truncated'],
    ['500', whole('', '500 Internal Server Error'), 'server_error'],
    [
      'a layer that could not be looked up',
      whole('{"result":{"addressMatches":[{"matchedAddress":"1 ELM","geographies":{"Counties":[{"status":"no"}]}}]}}'),
      'layer_error',
    ],
  ])('fail if the answer is %s', async (_, answers, code) => {
    answerer = answers;
    expect((await fault(geocoder().candidates(ROWS[0], SETTINGS))).code).toBe(code);
  });
});

describe('benchmark and vintage', () => {
  const lists: Answerer = (socket, request) =>
    whole(
      request.startsWith('GET /geocoder/benchmarks ')
        ? '{"benchmarks":[{"id":"4","benchmarkName":"Public_AR_Current"}]}'
        : '{"vintages":[{"id":"4","vintageName":"Current_Current"},{"id":"2","vintageName":"Census2020_Current"}]}',
    )(socket, request);

  const benchmarksOnly: Answerer = (socket, request) =>
    request.startsWith('GET /geocoder/benchmarks ') ? lists(socket, request) : socket.destroy();

  it('are accepted if the service lists them', async () => {
    answerer = lists;
    expect(await geocoder().refusedSettings()).toBeNull();
    expect(requests[1]).toMatch(/^GET \/geocoder\/vintages\?benchmark=Public_AR_Current HTTP/);
  });

  it('are refused with a message if it does not', async () => {
    answerer = lists;
    expect(await geocoder({ benchmark: 'Public_AR_Census2010' }).refusedSettings()).toBe(
      'the geocoder has no benchmark Public_AR_Census2010; it has Public_AR_Current',
    );
    expect(await geocoder({ vintage: 'Census2010_Current' }).refusedSettings()).toBe(
      'the geocoder has no vintage Census2010_Current for the benchmark Public_AR_Current; it has Current_Current, Census2020_Current',
    );
  });

  it.each<[string, Answerer]>([
    ['403', whole('', '403 Forbidden')],
    ['503', whole('', '503 Service Unavailable')],
    ['another shape', whole('[]')],
    ['nothing', (socket) => socket.destroy()],
    ['a list of benchmarks without one of vintages', benchmarksOnly],
  ])('are neither accepted nor refused if the answer is %s', async (_, answers) => {
    answerer = answers;
    expect(await geocoder().refusedSettings()).toBeUndefined();
  });

  it('are accepted if the service, such as a mirror, has no lists', async () => {
    answerer = whole('', '404 Not Found');
    expect(await geocoder().refusedSettings()).toBeNull();
  });
});
