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
    expect(problemOfLibraries(new IntakeError('quota_exceeded', 'no more today'))?.parts.headers).toHaveProperty(
      'retry-after',
    );
  });

  it('answers 503 while Postgres is away, and knows nothing of other errors', () => {
    for (const code of ['ECONNREFUSED', '57P01', '53300'])
      expect(problemOfLibraries(Object.assign(new Error('x'), { code }))?.status).toBe(503);
    expect(problemOfLibraries(new Error('Connection terminated unexpectedly'))?.status).toBe(503);
    expect(problemOfLibraries(new Error('something else'))).toBeUndefined();
    expect(problemOfLibraries(null)).toBeUndefined();
  });
});
