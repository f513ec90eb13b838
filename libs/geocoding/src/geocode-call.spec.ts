import fc from 'fast-check';
import { type KeySettings } from '@donorlens/locations';
import { type CallKind, type ClaimedCall } from './calls/call';
import { runCall } from './geocode-call';
import { type Candidate, type Geocoder, type GeocoderAnswer, type GeocoderRow } from './geocoder';
import { GeocoderError } from './geocoder-error';

const COOK = { fips: '17031', tract: '081403', block: '1002' };
const LAKE = { fips: '17097', tract: '860100', block: '3001' };
const match: GeocoderAnswer = { outcome: 'MATCH', isExact: true, matchedAddress: '1 MADE UP ST', ...COOK };
const candidate = (where: Partial<Candidate>): Candidate => ({ matchedAddress: '1 MADE UP ST', ...COOK, ...where });

/** Addresses named by their street; what is said of each, by it. */
const callOf = (kind: CallKind, streets: readonly string[], isProbe = false): ClaimedCall => ({
  ...{ id: '1', leaseId: 'l', kind, isProbe, failures: 0, benchmark: 'b', vintage: 'v' },
  addresses: streets.map((street) => ({
    ...{ key: Buffer.from(street), street, city: 'SOMEWHERE', state: 'IL', zip: '60601', failures: 0 },
  })),
});

class FakeGeocoder implements Geocoder {
  readonly asked: string[] = [];
  readonly under: KeySettings[] = [];

  constructor(
    private readonly answers: Readonly<Record<string, GeocoderAnswer>> = {},
    private readonly candidatesOf: (street: string) => readonly Candidate[] = () => [],
  ) {}

  locate(rows: readonly GeocoderRow[], settings: KeySettings): ReturnType<Geocoder['locate']> {
    this.under.push(settings);
    const known = rows.filter(({ street }) => street in this.answers);
    const others = rows.filter(({ street }) => !(street in this.answers));
    return Promise.resolve({
      answers: new Map([...known].reverse().map(({ id, street }) => [id, this.answers[street]])),
      unanswered: new Map(others.map(({ id }) => [id, 'malformed' as const])),
    });
  }

  candidates({ street }: GeocoderRow, settings: KeySettings): Promise<readonly Candidate[]> {
    this.asked.push(street);
    this.under.push(settings);
    return new Promise((resolve) => resolve(this.candidatesOf(street)));
  }

  refusedSettings(): Promise<null> {
    return Promise.resolve(null);
  }
}

const keys = { addressIdOf: (matched: string) => Buffer.from(matched) };
const run = (
  call: ClaimedCall,
  geocoder: Geocoder,
  { signal = new AbortController().signal, budgetMs = 60_000 } = {},
) => runCall(call, { geocoder, keys, signal, budgetMs });

describe('a batch call', () => {
  it('gives each address its answer, for any order of answers', async () => {
    const geocoder = new FakeGeocoder({ a: match, b: { outcome: 'NO_MATCH' }, d: { outcome: 'TIE' } });
    const results = await run(callOf('batch', ['a', 'b', 'c', 'd']), geocoder);
    const addressId = Buffer.from('1 MADE UP ST').toString('hex');
    expect(results.geocoded).toEqual([
      { key: Buffer.from('a'), outcome: 'MATCH', isExact: true, ...COOK, addressId },
      {
        key: Buffer.from('b'),
        outcome: 'NO_MATCH',
        isExact: null,
        fips: null,
        tract: null,
        block: null,
        addressId: null,
      },
    ]);
    expect(results.ties).toEqual([Buffer.from('d')]);
    expect([...results.unanswered]).toEqual([['c', 'malformed']]);
  });

  it('of any kind uses the benchmark and vintage of its addresses', async () => {
    const geocoder = new FakeGeocoder();
    for (const kind of ['batch', 'tie'] as const) await run(callOf(kind, ['a']), geocoder);
    expect(geocoder.under).toMatchObject([
      { benchmark: 'b', vintage: 'v' },
      { benchmark: 'b', vintage: 'v' },
    ]);
  });

  it('returns each address once', async () => {
    const said = fc.constantFrom<GeocoderAnswer | null>(match, { outcome: 'NO_MATCH' }, { outcome: 'TIE' }, null);
    await fc.assert(
      fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 30 }), async (answers) => {
        const streets = answers.map((_, i) => `street ${i}`);
        const known = streets.flatMap((street, i) => (answers[i] === null ? [] : [[street, answers[i]] as const]));
        const { geocoded, ties, unanswered } = await run(
          callOf('batch', streets),
          new FakeGeocoder(Object.fromEntries(known)),
        );
        const named = [...geocoded.map(({ key }) => key), ...ties].map(String).concat([...unanswered.keys()]);
        expect(named.sort()).toEqual(streets.sort());
      }),
    );
  });

  it('fails without any answer', async () => {
    const down = new FakeGeocoder();
    down.locate = () => Promise.reject(new GeocoderError('timeout'));
    await expect(run(callOf('batch', ['a']), down)).rejects.toMatchObject({ code: 'timeout' });
  });
});

describe('a tie', () => {
  const tieOf = async (...candidates: Candidate[]) =>
    (await run(callOf('tie', ['a']), new FakeGeocoder({}, () => candidates))).geocoded[0];
  const nowhere = { key: Buffer.from('a'), outcome: 'TIE', isExact: null, tract: null, block: null, addressId: null };

  it('has the county if all candidates are in one, and no finer place', async () => {
    expect(await tieOf(candidate({}), candidate({ tract: '081500' }))).toEqual({ ...nowhere, fips: '17031' });
    expect(await tieOf(candidate({}))).toEqual({ ...nowhere, fips: '17031' });
  });

  it('has no county if candidates are in several, one is unknown, or there is none', async () => {
    expect(await tieOf(candidate({}), candidate(LAKE))).toEqual({ ...nowhere, fips: null });
    expect(await tieOf(candidate({}), candidate({ fips: null }))).toEqual({ ...nowhere, fips: null });
    expect(await tieOf()).toEqual({ ...nowhere, fips: null });
  });
});

describe('a call of ties', () => {
  const failingFor = (...streets: string[]) =>
    new FakeGeocoder({}, (street) => {
      if (streets.includes(street)) throw new GeocoderError('layer_error');
      return [candidate({})];
    });
  const geocoded = ({ geocoded: rows }: Awaited<ReturnType<typeof run>>) => rows.map(({ key }) => String(key));

  it('requests one after the other, and leaves failed ones unanswered', async () => {
    const geocoder = failingFor('b');
    const results = await run(callOf('tie', ['a', 'b', 'c']), geocoder);
    expect(geocoder.asked).toEqual(['a', 'b', 'c']);
    expect(geocoded(results)).toEqual(['a', 'c']);
    expect([...results.unanswered]).toEqual([['b', 'layer_error']]);
  });

  it('ends after three consecutive failures, and returns only requested ones', async () => {
    const geocoder = failingFor('b', 'c', 'd');
    const results = await run(callOf('tie', ['a', 'b', 'c', 'd', 'e']), geocoder);
    expect(geocoder.asked).toEqual(['a', 'b', 'c', 'd']);
    expect(geocoded(results)).toEqual(['a']);
    expect([...results.unanswered.keys()]).toEqual(['b', 'c', 'd']);
  });

  it('is a single request as the probe of an unavailable geocoder', async () => {
    const geocoder = failingFor('a', 'b', 'c');
    await expect(run(callOf('tie', ['a', 'b', 'c'], true), geocoder)).rejects.toMatchObject({ code: 'layer_error' });
    expect(geocoder.asked).toEqual(['a']);
    const back = failingFor();
    expect(geocoded(await run(callOf('tie', ['a', 'b'], true), back))).toEqual(['a', 'b']);
  });

  it('ends at a Retry-After; the rest counts as not requested', async () => {
    const tooMany = new GeocoderError('rate_limited', { retryAfterMs: 600_000 });
    const busy = (...free: string[]) =>
      new FakeGeocoder({}, (street) => {
        if (!free.includes(street)) throw tooMany;
        return [candidate({})];
      });
    const geocoder = busy('a');
    const results = await run(callOf('tie', ['a', 'b', 'c', 'd']), geocoder);
    expect(geocoder.asked).toEqual(['a', 'b']);
    expect([geocoded(results), results.unanswered.size, results.retryAfter]).toEqual([['a'], 0, tooMany]);
    await expect(run(callOf('tie', ['a', 'b']), busy())).rejects.toBe(tooMany);
  });

  it('fails if nothing was answered', async () => {
    const failed = run(callOf('tie', ['a', 'b', 'c', 'd']), failingFor('a', 'b', 'c'));
    await expect(failed).rejects.toMatchObject({ code: 'layer_error' });
    await expect(run(callOf('tie', ['a']), failingFor('a'))).rejects.toBeInstanceOf(GeocoderError);
  });

  it('sends no request after its time limit', async () => {
    const geocoder = failingFor();
    expect(geocoded(await run(callOf('tie', ['a', 'b']), geocoder, { budgetMs: -1 }))).toEqual([]);
    expect(geocoder.asked).toEqual([]);
  });

  it('ends at once if it is aborted', async () => {
    const stop = new AbortController();
    const geocoder = new FakeGeocoder({}, (street) => {
      if (street === 'b') stop.abort();
      return [candidate({})];
    });
    await expect(run(callOf('tie', ['a', 'b', 'c']), geocoder, stop)).rejects.toMatchObject({ name: 'AbortError' });
    expect(geocoder.asked).toEqual(['a', 'b']);
  });

  it('throws internal errors', async () => {
    const broken = new FakeGeocoder({}, () => {
      throw new TypeError('no');
    });
    await expect(run(callOf('tie', ['a']), broken)).rejects.toBeInstanceOf(TypeError);
  });
});
