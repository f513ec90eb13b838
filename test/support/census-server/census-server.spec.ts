import { parse } from 'csv-parse/sync';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OFFICIAL_DATA, describeWith } from '../tools';
import { until } from '../until';
import { type Address } from './address';
import { type Raw, askBatch, askSingle, form, raw } from './ask';
import { CensusServer, type CensusServerOptions } from './census-server';

interface SeenMatch {
  readonly geographies: { readonly Counties: readonly { readonly GEOID: string }[] };
}

const servers: CensusServer[] = [];
const start = async (options: CensusServerOptions = {}): Promise<CensusServer> => {
  const server = await CensusServer.start(options);
  servers.push(server);
  return server;
};
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

const linesOf = ({ body }: Pick<Raw, 'body'>): string[] => body.toString('latin1').split('\n').sort();
const documentOf = ({ body }: Raw) => JSON.parse(body.toString());
const elm = (number: number): Address => ({ street: `${number} Elm St`, city: 'Keene', state: 'NH', zip: '03431' });

describeWith('official data')('the recorded exchanges', () => {
  const recorded = (name: string): string => join(OFFICIAL_DATA, 'census/geocoder', name);
  const fixture = (name: string) => JSON.parse(readFileSync(recorded(name), 'utf8'));

  it.each(['geographies', 'locations'])('%s: the recorded request has the recorded answer', async (what) => {
    const { url } = await start({ recording: recorded(`${what}-addressbatch.csv`) });
    const body = readFileSync(recorded(`${what}-addressbatch.request.txt`));
    const boundary = body.toString('latin1').split('\r\n')[0].slice(2);
    const answer = await raw(`${url}/${what}/addressbatch`, {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      body,
    });
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/plain',
        'content-disposition': 'attachment; filename=GeocodeResults.csv',
        'content-length': String(readFileSync(recorded(`${what}-addressbatch.csv`)).length),
      },
    });
    expect(linesOf(answer)).toEqual(linesOf({ body: readFileSync(recorded(`${what}-addressbatch.csv`)) }));
  });

  it('2,000 addresses have their recorded answers, in another order', async () => {
    const path = recorded('hospitals-locations-addressbatch.csv');
    const { url } = await start({ recording: path });
    const rows = readFileSync(recorded('hospitals-batch-input.csv'));
    const answer = await raw(`${url}/locations/addressbatch`, form(rows, { benchmark: '4' }));
    expect(linesOf(answer)).toEqual(linesOf({ body: readFileSync(path) }));
    expect(answer.body.toString('latin1').split('\n')[0]).not.toContain('"10001"');
  });

  it('finds a recorded address by its letters and digits, and generates geographies that were not recorded', async () => {
    const path = recorded('locations-addressbatch.csv');
    const rows: string[][] = parse(readFileSync(path, 'latin1'), { relax_column_count: true });
    const [, input, , , matchedAddress] = rows.find(([, , outcome]) => outcome === 'Match')!;
    const [street, city, state, zip] = input.split(', ');
    const server = await start({ recording: path });
    const otherwise = { street: street.replaceAll(' ', ', '), city: city.toUpperCase(), state, zip };
    expect(server.truthOf(otherwise)).toMatchObject({
      outcome: 'MATCH',
      isExact: true,
      matchedAddress,
      fips: expect.stringMatching(/^\d{5}$/),
      tract: expect.stringMatching(/^\d{6}$/),
    });
  });

  it.each([
    ['geographies-address.json', 1, ['Counties', 'Census Tracts', 'States']],
    ['geographies-address-two-matches.json', 2, ['Counties', 'Census Tracts', 'States', 'Census Blocks']],
  ])('%s: a single lookup has the recorded fields', async (name, matches, layers) => {
    const { input, addressMatches } = fixture(name).result;
    const server = await start();
    server.plant(input.address, matches === 1 ? { outcome: 'MATCH' } : { outcome: 'TIE' });
    const answer = documentOf(
      await askSingle(server.url, input.address, {
        benchmark: input.benchmark.benchmarkName,
        vintage: input.vintage.vintageName,
      }),
    ).result;
    expect(fieldsOf(answer.input)).toEqual(fieldsOf(input));
    expect(answer.addressMatches).toHaveLength(matches);
    for (const match of answer.addressMatches) {
      const { geographies, ...rest } = match;
      const { geographies: recordedLayers, ...recordedRest } = addressMatches[0];
      expect(fieldsOf(rest)).toEqual(fieldsOf(recordedRest));
      for (const layer of layers) {
        expect([layer, ...fieldsOf(geographies[layer][0])]).toEqual([layer, ...fieldsOf(recordedLayers[layer][0])]);
      }
    }
  });
});

/** Names and types of the fields at all depths, sorted. */
const fieldsOf = (value: object, path = ''): string[] =>
  Object.entries(value)
    .flatMap(([name, inner]) =>
      typeof inner === 'object' && inner !== null
        ? fieldsOf(inner as object, `${path}${name}.`)
        : [`${path}${name}: ${typeof inner}`],
    )
    .sort();

describe('a batch', () => {
  it('is answered in quoted fields: twelve for a match with geographies, eight without, three for the others', async () => {
    const server = await start();
    const spot = { lon: '-72.2781', lat: '42.9337', tigerLineId: '76225813', side: 'L' } as const;
    server.plant(elm(1), { outcome: 'MATCH', fips: '33005', tract: '971000', block: '1001', ...spot });
    server.plant(elm(2), { outcome: 'NO_MATCH' });
    server.plant(elm(3), { outcome: 'TIE' });
    const rows = '7,1 Elm Street,Keene,NH,03431\r\n8,"2 Elm St, ""rear""",Keene,NH,03431\r\n9,3 Elm St,Keene,NH,\r\n';
    server.plant({ ...elm(3), zip: '' }, { outcome: 'TIE' });
    server.plant({ ...elm(2), street: '2 Elm St, "rear"' }, { outcome: 'NO_MATCH' });
    const others = ['"8","2 Elm St, ""rear"", Keene, NH, 03431","No_Match"', '"9","3 Elm St, Keene, NH, ","Tie"'];
    const match =
      '"7","1 Elm Street, Keene, NH, 03431","Match","Exact","1 ELM ST, KEENE, NH, 03431","-72.2781,42.9337","76225813","L"';
    const names = { benchmark: 'Public_AR_Current', vintage: 'Current_Current' };
    const geographies = await raw(`${server.url}/geographies/addressbatch`, form(rows, names));
    expect(linesOf(geographies)).toEqual(['', `${match},"33","005","971000","1001"`, ...others]);
    const locations = await raw(`${server.url}/locations/addressbatch`, form(rows, { benchmark: '4' }));
    expect(linesOf(locations)).toEqual(['', match, ...others]);
  });

  it('is answered in Latin-1, whether the request is in UTF-8 or in Latin-1', async () => {
    const { url } = await start();
    const names = { benchmark: '4', vintage: '4' };
    for (const encoding of ['utf8', 'latin1'] as const) {
      const rows = Buffer.from('1,5 Calle Peña,San Juan,PR,00901', encoding);
      const { body } = await raw(`${url}/geographies/addressbatch`, form(rows, names));
      expect(body.includes(Buffer.from([0x65, 0xf1, 0x61]))).toBe(true);
    }
  });

  it('has the same answer after a restart, and another order with another seed', async () => {
    const addresses = Array.from({ length: 50 }, (_, at) => elm(at + 100));
    const answers = await Promise.all(
      [1, 1, 2].map(async (seed) => (await askBatch((await start({ seed })).url, addresses)).body.toString()),
    );
    expect(answers[1]).toBe(answers[0]);
    expect(answers[2]).not.toBe(answers[0]);
    expect(answers[2].split('\n').sort()).toEqual(answers[0].split('\n').sort());
  });

  it('returns the outcome of truthOf for each row', async () => {
    const server = await start();
    const addresses = Array.from({ length: 300 }, (_, at) => elm(at));
    const { body } = await askBatch(server.url, addresses);
    const said = new Map(
      body
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => [Number(line.split('"')[1]), line]),
    );
    addresses.forEach((address, id) => {
      const truth = server.truthOf(address);
      const word = { MATCH: '"Match"', NO_MATCH: '"No_Match"', TIE: '"Tie"' }[truth.outcome];
      expect(said.get(id)).toContain(truth.outcome === 'MATCH' ? truth.matchedAddress : word);
    });
  });

  it('is refused with 10,001 rows, an unknown vintage, an unknown benchmark, without a file, and without a form', async () => {
    const { url, log } = await start();
    const rows = (count: number): string =>
      Array.from({ length: count }, (_, id) => `${id},1 A St,B,NY,10001`).join('\n');
    const ask = (text: string, benchmark: string, vintage: string): Promise<Raw> =>
      raw(`${url}/geographies/addressbatch`, form(text, { benchmark, vintage }));
    expect((await ask(rows(10_000), '4', 'Current_Current')).status).toBe(200);
    const refusals = [
      await ask(rows(10_001), '4', 'Current_Current'),
      await ask(rows(1), '4', 'Nothing_Current'),
      await ask(rows(1), 'Public_AR_Census2010', 'Census2010_Current'),
      await ask('', '4', 'Current_Current'),
      await raw(`${url}/geographies/addressbatch`, { method: 'POST', body: Buffer.from('x') }),
    ];
    for (const { status, body } of refusals) {
      expect(status).toBe(400);
      expect(JSON.parse(body.toString())).toEqual({ errors: [expect.any(String)], status: '400' });
    }
    expect(log.calls.filter(({ answeredOk }) => answeredOk)).toHaveLength(1);
  });
});

describe('a single lookup', () => {
  it('names the block layer by its vintage and gives coordinates', async () => {
    const server = await start();
    server.plant(elm(1), { outcome: 'MATCH' });
    const layersOf = async (vintage: string): Promise<string[]> => {
      const { addressMatches } = documentOf(await askSingle(server.url, elm(1), { benchmark: '4', vintage })).result;
      expect(addressMatches[0].coordinates).toEqual({ x: expect.any(Number), y: expect.any(Number) });
      return Object.keys(addressMatches[0].geographies);
    };
    expect(await layersOf('Census2010_Current')).toContain('2010 Census Blocks');
    expect(await layersOf('Census2020_Current')).toContain('Census Blocks');
  });

  it('agrees with the batch: the nested codes of one place, none for no match, two candidates for a tie', async () => {
    const server = await start();
    server.plant(elm(1), { outcome: 'MATCH', fips: '33005', tract: '971001', block: '1001' });
    server.plant(elm(2), { outcome: 'NO_MATCH' });
    server.plant(elm(3), { outcome: 'TIE', candidates: [{ fips: '33005' }, { fips: '33011' }] });
    server.plant(elm(4), { outcome: 'TIE', candidates: [] });
    const matches = async (number: number): Promise<SeenMatch[]> =>
      documentOf(await askSingle(server.url, elm(number))).result.addressMatches;
    const [{ geographies }] = await matches(1);
    expect(geographies).toMatchObject({
      Counties: [{ GEOID: '33005', STATE: '33', COUNTY: '005' }],
      'Census Tracts': [{ GEOID: '33005971001', TRACT: '971001', NAME: 'Census Tract 9710.01' }],
      'Census Blocks': [{ GEOID: '330059710011001', BLOCK: '1001' }],
      States: [{ GEOID: '33', STUSAB: 'NH' }],
    });
    expect(await matches(2)).toEqual([]);
    expect((await matches(3)).map((match) => match.geographies.Counties[0].GEOID)).toEqual(['33005', '33011']);
    expect(await matches(4)).toEqual([]);
  });

  it('is refused without a street, with a street that is too long, and without a place', async () => {
    const { url } = await start();
    for (const change of [{ street: '' }, { street: 'x'.repeat(101) }, { city: '', zip: '' }])
      expect((await askSingle(url, { ...elm(1), ...change })).status).toBe(400);
  });
});

describe('the lists of settings', () => {
  it('have names, ids and defaults; vintages belong to a benchmark', async () => {
    const { url } = await start();
    const { benchmarks } = documentOf(await raw(`${url}/benchmarks`));
    expect(benchmarks.map((one: { benchmarkName: string }) => one.benchmarkName)).toEqual([
      'Public_AR_Current',
      'Public_AR_ACS2025',
      'Public_AR_Census2020',
    ]);
    const { vintages } = documentOf(await raw(`${url}/vintages?benchmark=Public_AR_Current`));
    expect(vintages[0]).toEqual({
      id: '4',
      vintageName: 'Current_Current',
      vintageDescription: 'Current Vintage - Current Benchmark',
      isDefault: true,
    });
    expect(vintages.map((one: { vintageName: string }) => one.vintageName)).toEqual(
      expect.arrayContaining(['Census2020_Current', 'Census2010_Current', 'ACS2025_Current']),
    );
    expect((await raw(`${url}/vintages?benchmark=Public_AR_Census2010`)).status).toBe(400);
    expect((await raw(`${url}/geographies/coordinates?x=1&y=2`)).status).toBe(404);
  });
});

describe('the log', () => {
  it('counts rows, those answered, those answered twice, and calls in flight', async () => {
    const { url, log, faults } = await start();
    faults.set('500', { next: 1 });
    await askBatch(url, [elm(1), elm(2)]);
    await askBatch(url, [elm(1), elm(2)]);
    await askBatch(url, [{ ...elm(2), street: '2 ELM STREET' }, elm(3)]);
    await until('all calls are over', () => log.inFlight === 0);
    expect(log).toMatchObject({ rowsReceived: 6, rowsAnsweredOk: 4, rowsAnsweredTwice: 1, maxInFlight: 1 });
    expect(log.distinctRows.size).toBe(3);
    expect(log.calls).toMatchObject([
      { kind: 'batch', rows: 2, status: 500, answeredOk: false, faults: ['500'] },
      { kind: 'batch', rows: 2, status: 200, answeredOk: true, faults: [] },
      { kind: 'batch', rows: 2, status: 200, answeredOk: true, faults: [] },
    ]);
  });

  it('counts concurrent calls, and ends a call whose client has disconnected', async () => {
    const { url, log, faults } = await start();
    faults.set('hang');
    const leaving = new AbortController();
    const calls = [1, 2, 3].map((number) => askBatch(url, [elm(number)], { signal: leaving.signal }));
    await until('three calls are in flight', () => log.inFlight === 3);
    leaving.abort();
    await Promise.all(calls);
    await until('none is in flight', () => log.inFlight === 0);
    expect(log).toMatchObject({ maxInFlight: 3, rowsAnsweredOk: 0 });
    expect(log.calls[0]).toMatchObject({ status: null, isOver: true });
  });
});
