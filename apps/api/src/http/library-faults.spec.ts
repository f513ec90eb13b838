import { IntakeError } from '@donorlens/batches';
import { problemOfLibraries } from './library-faults';

describe('errors of libraries as problems', () => {
  it('keeps the status, code and line of an intake error', () => {
    const problem = problemOfLibraries(new IntakeError('unclosed_quote', 'a quote never closes', { line: 7 }));
    expect(problem?.document('id')).toMatchObject({
      status: 400,
      code: 'unreadable-batch',
      reason: 'unclosed_quote',
      line: 7,
    });
  });

  it('ask a key without quota back at midnight', () => {
    const headersOf = (now: string) =>
      problemOfLibraries(new IntakeError('quota_exceeded', 'no more'), new Date(now))?.parts.headers;
    expect(headersOf('2026-03-01T23:59:58.999Z')).toEqual({ 'retry-after': '2' });
    expect(headersOf('2026-03-01T00:00:00Z')).toEqual({ 'retry-after': '86400' });
  });

  it('answers 503 while Postgres is away, and knows nothing of other errors', () => {
    for (const code of ['ECONNREFUSED', '57P01', '53300'])
      expect(problemOfLibraries(Object.assign(new Error('x'), { code }))?.status).toBe(503);
    expect(problemOfLibraries(new Error('Connection terminated unexpectedly'))?.status).toBe(503);
    expect(problemOfLibraries(new Error('something else'))).toBeUndefined();
    expect(problemOfLibraries(null)).toBeUndefined();
  });
});
