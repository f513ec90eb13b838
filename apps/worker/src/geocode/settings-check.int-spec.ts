import { readConfig } from '@donorlens/config';
import { CallRepository, type ClaimedCall, type Geocoder, GeocoderError } from '@donorlens/geocoding';
import { type Logger } from '@donorlens/observability';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { until } from '../../../../test/support/until';
import { SettingsCheck } from './settings-check';

const config = readConfig({ GEOCODE_CALLS_PER_MINUTE: '100000' });
const OTHERS = { benchmark: 'b', vintage: 'older' };
const REASON = 'no such vintage';

describe('the settings of the geocoder', () => {
  let db: TestDatabase;
  let calls: CallRepository;
  beforeAll(async () => {
    db = await testDatabase();
    calls = new CallRepository(db.pool, config.geocoder);
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.pool.query('truncate geocoder, geocode_call, geocode_address');
    await db.pool.query('insert into geocoder default values');
  });

  const logger = (said: string[] = []): Logger => {
    const say = (_: object, message: string) => said.push(message);
    return { error: say, info: say, warn: say } as unknown as Logger;
  };
  /** A check against a geocoder that returns these refusal reasons in order. */
  function checkOf(reasons: (string | null | undefined)[], repository = calls) {
    const said: string[] = [];
    let asked = 0;
    const refusedSettings = () => Promise.resolve((asked++, reasons.shift()));
    const geocoder: Partial<Geocoder> = { refusedSettings };
    const check = new SettingsCheck(geocoder as Geocoder, repository, db.pool, config, logger(said));
    return { check, said, asked: () => asked };
  }
  const stored = async (): Promise<string | null> =>
    (await db.pool.query<{ reason: string | null }>('select refused_reason as reason from geocoder')).rows[0].reason;

  it('are checked once if the geocoder accepts them, and an earlier refusal is removed', async () => {
    await calls.setRefused(OTHERS, 'an older vintage');
    const { check, said } = checkOf([null]);
    expect(await check.checkOnce()).toBe(false);
    expect([await stored(), said]).toEqual([null, []]);
  });

  it('are checked again while the geocoder refuses them, and the refusal is logged once', async () => {
    const { check, said } = checkOf([REASON, REASON, null]);
    expect([await check.checkOnce(), await stored()]).toEqual([true, REASON]);
    expect([await check.checkOnce(), await stored()]).toEqual([true, REASON]);
    expect([await check.checkOnce(), await stored()]).toEqual([false, null]);
    expect(said).toEqual([`geocoding has stopped: ${REASON}`, 'geocoding has resumed']);
  });

  it('stay refused and are checked again while the geocoder does not tell, also at the start', async () => {
    const { check, said } = checkOf([undefined, REASON, undefined, null]);
    expect([await check.checkOnce(), await stored()]).toEqual([true, null]);
    expect([await check.checkOnce(), await stored()]).toEqual([true, REASON]);
    expect([await check.checkOnce(), await stored()]).toEqual([true, REASON]);
    expect(said).toEqual([`geocoding has stopped: ${REASON}`]);
    expect([await check.checkOnce(), await stored()]).toEqual([false, null]);
  });

  it('of another worker stay refused only while addresses wait for them', async () => {
    const { check } = checkOf([null, undefined]);
    await someCall(OTHERS.vintage);
    await calls.setRefused(OTHERS, REASON);
    expect([await check.checkOnce(), await stored()]).toEqual([false, REASON]);
    await db.pool.query('truncate geocode_call, geocode_address');
    expect([await check.checkOnce(), await stored()]).toEqual([true, null]);
  });

  it('are checked again if the result could not be stored', async () => {
    const away = { setRefused: () => Promise.reject(new Error('away')) } as Partial<CallRepository> as CallRepository;
    expect(await checkOf([null], away).check.checkOnce()).toBe(true);
  });

  it('are not checked while the circuit is open or the geocoder has sent Retry-After', async () => {
    await calls.setRefused(OTHERS, 'an older vintage');
    await db.pool.query(`update geocoder set closed_until = now() + interval '1 minute'`);
    const { check, asked } = checkOf([REASON]);
    expect([await check.checkOnce(), asked(), await stored()]).toEqual([true, 0, null]);
    await db.pool.query('update geocoder set closed_until = null');
    for (let failures = 0; failures < 5; failures++) await calls.fail(await someCall(), new GeocoderError('timeout'));
    expect([await check.checkOnce(), asked()]).toEqual([true, 0]);
    await db.pool.query('update geocoder set circuit = null');
    expect([await check.checkOnce(), asked(), await stored()]).toEqual([true, 1, REASON]);
  });

  it('are checked every minute while unknown or refused, and no longer after the worker stops', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const answers = [true, true, false, false];
    const refused = [false, true, false, false];
    const others = {
      isRefused: () => Promise.resolve(refused.shift()!),
      setRefused: () => Promise.resolve(),
    } as Partial<CallRepository> as CallRepository;
    class Looking extends SettingsCheck {
      override checkOnce(): Promise<boolean> {
        return Promise.resolve(answers.shift() ?? true);
      }
    }
    const looking = () => new Looking({} as Geocoder, others, db.pool, config, logger());
    const first = looking();
    first.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(59_000);
    expect(answers).toHaveLength(3);
    await jest.advanceTimersByTimeAsync(61_000);
    expect([answers.length, refused.length]).toEqual([1, 4]);
    await jest.advanceTimersByTimeAsync(60_000); // no settings are refused
    expect([answers.length, refused.length]).toEqual([1, 3]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect([answers.length, refused.length]).toEqual([0, 2]);
    await jest.advanceTimersByTimeAsync(120_000);
    expect(refused).toEqual([]);
    first.beforeApplicationShutdown();
    const stopping = looking();
    stopping.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(0);
    stopping.beforeApplicationShutdown();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  let streets = 0;
  async function someCall(vintage = 'v'): Promise<ClaimedCall> {
    await db.pool.query(
      `insert into geocode_address (address_key, ask_order, asked_at, street, city, state, zip, benchmark, vintage)
       values ($1, 1, now() - interval '2 s', 'synthetic', '', '', '', 'b', $2)`,
      [Buffer.from(`${streets++}`), vintage],
    );
    await calls.formCalls();
    const { rows } = await db.pool.query<{ id: string }>('select max(id)::text as id from geocode_call');
    return until('it may start', async () => {
      const claim = await calls.claim(rows[0].id);
      return claim && 'call' in claim && claim.call;
    });
  }
});
