import { CountMismatchError } from '@donorlens/batches';
import { ChunkMismatchError } from '@donorlens/enrichment';
import { ReleaseFormatError, UnknownReleaseError } from '@donorlens/reference-data';
import { chunkFault } from './chunk-fault';

const withCode = (code: string): Error => Object.assign(new Error('no'), { code });

describe('a chunk whose attempt threw an error', () => {
  it.each([
    [new ChunkMismatchError('no'), 'unreadable_input'],
    [new CountMismatchError('no'), 'tally_mismatch'],
    [new UnknownReleaseError('r1'), 'release_unknown'],
  ])('fails its batch at once after a permanent error: %p', (error, errorCode) => {
    expect(chunkFault(error, 1)).toEqual({ kind: 'fatal', errorCode });
  });

  it('is retried for two minutes if the worker cannot read the format of the data release', () => {
    const faults = [1, 2, 3, 4, 5, 6].map((attempts) => chunkFault(new ReleaseFormatError('version 2'), attempts));
    expect(faults.map((fault) => (fault.kind === 'counted' ? fault.retryMs / 1000 : fault))).toEqual([
      4,
      8,
      16,
      32,
      60,
      { kind: 'fatal', errorCode: 'release_format' },
    ]);
  });

  it.each(['22P02', '23505', '42703', 'XX001', 'ERR_OUT_OF_RANGE', 'Z'])(
    'counts %s as an attempt, and fails the batch after ten of them',
    (code) => {
      expect(chunkFault(withCode(code), 9)).toEqual({ kind: 'counted', retryMs: 60_000 });
      expect(chunkFault(withCode(code), 10)).toEqual({ kind: 'fatal', errorCode: 'chunk_failed' });
    },
  );

  it('fails the batch of a bulk file if the database disk is full, but is retried in the batch of a client', () => {
    expect(chunkFault(withCode('53100'), 1, true)).toEqual({ kind: 'fatal', errorCode: 'disk_full' });
    expect(chunkFault(withCode('53100'), 1).kind).toBe('transient');
  });

  it('counts an error without a code as an attempt', () => {
    expect(chunkFault(new RangeError('Array buffer allocation failed'), 1).kind).toBe('counted');
    expect(chunkFault('a string', 10).kind).toBe('fatal');
  });

  it.each(['08006', '57P01', '57014', '53100', '55P03', '40P01', 'ECONNREFUSED', 'ETIMEDOUT', 'ENOSPC', 'EPIPE'])(
    'is retried after the transient error %s without a limit',
    (code) => {
      expect(chunkFault(withCode(code), 1_000)).toEqual({ kind: 'transient', retryMs: 2_000 });
    },
  );

  it.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
  ])('is retried after the driver reports a lost connection: %s', (message) => {
    expect(chunkFault(new Error(message), 1_000).kind).toBe('transient');
  });
});
