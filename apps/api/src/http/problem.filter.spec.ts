import { IntakeError } from '@donorlens/batches';
import { problemOfLibraries } from './problem.filter';

const AGAIN = 'Send the request again in a few seconds; operators see /ops.';

describe('errors of libraries as problems', () => {
  it('keep the status, code and line of an intake error', () => {
    const problem = problemOfLibraries(new IntakeError('unclosed_quote', 'a quote never closes', { line: 7 }));
    expect(problem?.document('id')).toMatchObject({
      status: 400,
      code: 'unreadable-batch',
      reason: 'unclosed_quote',
      line: 7,
    });
  });

  it('have a Retry-After until midnight UTC if the quota of a key is used up', () => {
    const headersOf = (now: string) =>
      problemOfLibraries(new IntakeError('quota_exceeded', 'no more'), new Date(now))?.parts.headers;
    expect(headersOf('2026-03-01T23:59:58.999Z')).toEqual({ 'retry-after': '2' });
    expect(headersOf('2026-03-01T00:00:00Z')).toEqual({ 'retry-after': '86400' });
  });

  it('are 503 while Postgres is unavailable, full or timed out, and undefined for other errors', () => {
    const problemOf = (code: string) => problemOfLibraries(Object.assign(new Error('x'), { code }));
    for (const code of ['ECONNREFUSED', 'EPIPE', 'ENOTFOUND', '57P01', '57014', '58030', '25006'])
      expect(problemOf(code)).toMatchObject({ status: 503, detail: `The database does not answer. ${AGAIN}` });
    for (const code of ['53100', '53300'])
      expect(problemOf(code)).toMatchObject({ status: 503, detail: `The database has no room for this now. ${AGAIN}` });
    for (const message of ['Connection terminated unexpectedly', 'Query read timeout'])
      expect(problemOfLibraries(new Error(message))?.parts.headers).toEqual({ 'retry-after': '5' });
    for (const code of ['23505', '22021', 'ENOENT', 'ERR_STREAM_DESTROYED']) expect(problemOf(code)).toBeUndefined();
    expect(problemOfLibraries(new Error('something else'))).toBeUndefined();
    expect(problemOfLibraries(null)).toBeUndefined();
  });
});
