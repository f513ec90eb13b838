import { BATCH_STATES } from './batch';
import { ABANDONED_STATES, SQL_OPEN, SQL_UNFINISHED, isFinal, isOpen, mayMove, sqlBefore } from './batch-state';

describe('states of a batch', () => {
  it('are final when only retention is left', () => {
    expect(BATCH_STATES.filter(isFinal)).toEqual(['completed', 'cancelled', 'expired', 'failed']);
  });

  it('let chunks be taken while accepted or running', () => {
    expect(BATCH_STATES.filter(isOpen)).toEqual(['accepted', 'running']);
  });

  it('never go back', () => {
    for (const from of BATCH_STATES)
      for (const to of BATCH_STATES) if (mayMove(from, to)) expect(mayMove(to, from)).toBe(false);
  });

  it('reach cancelled only from cancelling', () => {
    expect(sqlBefore('cancelled')).toBe("('cancelling')");
    expect(sqlBefore('cancelling')).toBe("('accepted', 'running')");
  });

  it('end only from states with open work, and never leave expired', () => {
    expect(sqlBefore('completed')).toBe("('accepted', 'running')");
    expect(sqlBefore('failed')).toBe("('accepted', 'running', 'cancelling')");
    expect(BATCH_STATES.filter((to) => mayMove('expired', to))).toEqual([]);
  });

  it('stop waiting for addresses only if the batch did not complete: a completed one still gets them', () => {
    expect(ABANDONED_STATES).toBe("('cancelled', 'expired', 'failed')");
  });

  it('expire once they are final', () => {
    expect(sqlBefore('expired')).toBe("('completed', 'cancelled', 'failed')");
    expect([SQL_OPEN, SQL_UNFINISHED]).toEqual(["('accepted', 'running')", "('accepted', 'running', 'cancelling')"]);
  });
});
