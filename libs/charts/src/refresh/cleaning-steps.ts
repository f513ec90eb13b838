import { type RefreshStep, analyzed, step, workTable } from './refresh-step';

/**
 * Removes what neither the new version nor the one before it reads: of each pair, all rows older than the newest that the
 * one before can see. Readers of these two find everything; a statement under way goes on seeing what it began with.
 */
export const CLEANING: readonly RefreshStep[] = [
  workTable('old_pair', 'entity_id text, cycle smallint, version_id bigint'),
  step(
    'remove old pairs',
    `with gone as (
  delete from chart_pair p
  where exists (
    select from chart_pair newer
    where newer.entity_id = p.entity_id and newer.cycle = p.cycle
      and newer.version_id > p.version_id and newer.version_id <= (select previous_id from next_version))
  returning entity_id, cycle, version_id)
insert into old_pair select entity_id, cycle, version_id from gone`,
  ),
  analyzed('old_pair'),
  step(
    'remove old breakdowns',
    `delete from donor_breakdown b using old_pair p
where b.entity_id = p.entity_id and b.cycle = p.cycle and b.version_id = p.version_id`,
  ),
  step(
    'remove old series',
    `delete from cumulative_donors d using old_pair p
where d.cand_id = p.entity_id and d.cycle = p.cycle and d.version_id = p.version_id`,
  ),
  step(
    'remove old versions',
    `delete from chart_version v
where v.id < (select previous_id from next_version)
  and not exists (select from chart_pair p where p.version_id = v.id)`,
  ),
];
