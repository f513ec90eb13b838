import { GEOCODER_FAULTS, GeocoderError } from '../geocoder-error';
import { faultOf, faultOfStatus, retryAfterMs } from './fault';

const NOW = Date.UTC(2024, 0, 2, 3, 4, 5);
const failure = (code: string): Error => Object.assign(new Error('getaddrinfo 1 Elm St'), { code });

describe('a failed connection', () => {
  it.each([
    ['ECONNREFUSED', 'unreachable'],
    ['ENOTFOUND', 'unreachable'],
    ['EAI_AGAIN', 'unreachable'],
    ['UND_ERR_CONNECT_TIMEOUT', 'unreachable'],
    ['CERT_HAS_EXPIRED', 'unreachable'],
    ['ECONNRESET', 'reset'],
    ['UND_ERR_SOCKET', 'reset'],
    ['UND_ERR_BODY_TIMEOUT', 'timeout'],
    ['UND_ERR_DESTROYED', 'aborted'],
    ['HPE_INVALID_CONSTANT', 'server_error'],
  ])('with the code %s has the fault %s', (code, fault) => {
    expect(faultOf(failure(code))).toMatchObject({ code: fault, values: { reason: code } });
  });

  it('is found in wrapped errors: several addresses of one host, a cause', () => {
    expect(faultOf(new AggregateError([failure('ECONNREFUSED')])).values.reason).toBe('ECONNREFUSED');
    expect(faultOf(new TypeError('failed', { cause: failure('EPIPE') })).code).toBe('reset');
  });

  it('contains only its code', () => {
    const error = faultOf(failure('ECONNRESET'));
    expect(error.message).toBe('the geocoder closed the connection before it answered (ECONNRESET)');
    expect(error.cause).toBeUndefined();
    expect(faultOf(failure('code with 1 Elm St')).message).toBe('the geocoder cannot be reached');
    expect(faultOf(null).code).toBe('unreachable');
  });
});

describe('a status', () => {
  it.each([
    [204, 'server_error'],
    [302, 'redirected'],
    [400, 'refused'],
    [404, 'refused'],
    [408, 'timeout'],
    [429, 'rate_limited'],
    [500, 'server_error'],
    [503, 'server_error'],
  ])('of %i has the fault %s', (status, fault) => {
    expect(faultOfStatus(status, {}, NOW)).toMatchObject({ code: fault, retryAfterMs: null });
  });

  it('of 200 is no fault', () => {
    expect(faultOfStatus(200, {}, NOW)).toBeNull();
  });

  it('of 503 with a Retry-After requests fewer calls, like 429', () => {
    for (const status of [429, 503])
      expect(faultOfStatus(status, { 'retry-after': '7' }, NOW)).toMatchObject({
        code: 'rate_limited',
        retryAfterMs: 7000,
      });
  });
});

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Tue, 02 Jan 2024 03:05:05 GMT', 60_000],
    ['Tue, 02 Jan 2024 03:00:00 GMT', 0],
    ['99999999999999999999', 86_400_000],
    ['Wed, 02 Jan 2999 03:04:05 GMT', 86_400_000],
    ['soon', null],
    ['-5', null],
    ['1.5', null],
    ['', null],
    [undefined, null],
  ])('%j is %j milliseconds', (value, ms) => {
    expect(retryAfterMs(value, NOW)).toBe(ms);
  });
});

it('has a message for every fault', () => {
  for (const fault of GEOCODER_FAULTS) expect(new GeocoderError(fault).message).toMatch(/^the (geocoder|call|answer) /);
});
