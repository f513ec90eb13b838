import { type RefreshMode, type RefreshStep, analyzed, step, workTable } from './refresh-step';

/**
 * Donors whose rows have changed, once each. Rows that workers touch from now on stay for the next refresh: what this one
 * has seen of them is folded again then.
 */
export function touchedSteps(mode: RefreshMode): readonly RefreshStep[] {
  if (mode === 'reset') return [step('forget touched donors', 'delete from donor_touched')];
  return [
    workTable(
      'touched',
      'committee_id text, cycle smallint, donor_key bigint, primary key (committee_id, cycle, donor_key)',
    ),
    step(
      'take touched donors',
      `with taken as (delete from donor_touched returning committee_id, cycle, donor_key)
insert into touched (committee_id, cycle, donor_key)
select distinct committee_id, cycle, donor_key from taken`,
    ),
    analyzed('touched'),
  ];
}
