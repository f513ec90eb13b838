import { isWrite, nameOf, normalised, stepOf } from '../support/fault-injection/statement';

describe('an intercepted SQL statement', () => {
  it.each([
    'insert into batch (id) values ($1) on conflict do nothing',
    'with done as (update chunk set state = $1 returning *) select * from done',
    "update chunk set state = 'pending' where id in (select id from chunk for update skip locked)",
    'delete from result where batch_id = $1',
    'copy result (batch_id, row_no) from stdin',
    'create temp table import_missing on commit drop as select 1',
    'truncate donor_touched',
  ])('is a write if it changes data: %s', (sql) => expect(isWrite(sql)).toBe(true));

  it.each([
    'select 1 from data_release where id = $1 for no key update',
    'select id from fec_import for update of fec_import skip locked',
    'copy (select * from result) to stdout',
    'select pg_advisory_xact_lock($1)',
    'set local statement_timeout = 0',
  ])('is not a write if it only reads or locks: %s', (sql) => expect(isWrite(sql)).toBe(false));

  it('has the same name as a statement that differs only by a number, a comment or a space', () => {
    const [one, another] = [
      'delete from x where a = 12 and b = $2 -- why',
      'delete  from x\n where a = 7 and b = $2',
    ].map((sql) => nameOf(normalised(sql)));
    expect(one).toBe(another);
    expect(nameOf(normalised('delete from x where a = 7 and b = $3'))).not.toBe(one);
  });

  it('begins, commits or rolls back a transaction, or is within one', () => {
    expect(
      ['begin isolation level repeatable read', 'COMMIT', 'rollback', 'rollback to here', 'select 1'].map(stepOf),
    ).toEqual(['begin', 'commit', 'rollback', 'other', 'other']);
  });
});
