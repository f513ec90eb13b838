import { isLoadedLinkage, OWN_DESIGNATIONS } from '@donorlens/campaign-finance';
import { type RefreshMode, type RefreshStep, analyzed, step, workTable } from './refresh-step';

const LINK = 'cmte_id text, cycle smallint, cand_id text, cmte_dsgn text, party text';

const LINK_PAIR = workTable('link_pair', 'cmte_id text, cycle smallint, primary key (cmte_id, cycle)');

/** Finds each next committee of a cycle by an index lookup, which is faster than reading all rows. */
const pairsOfCycle = (cycle: number): RefreshStep => {
  const firstOf = (condition: string): string =>
    `(select committee_id from contribution where cycle = ${cycle} ${condition} order by committee_id limit 1)`;
  return step(
    `pairs to link, ${cycle}`,
    `insert into link_pair
with recursive one as (
  select ${firstOf('')} as committee_id
  union all
  select ${firstOf('and committee_id > one.committee_id')} from one where committee_id is not null)
select committee_id, ${cycle} from one where committee_id is not null`,
  );
};

/** Committees and cycles to link. */
export const allLinkPairs = (cycles: readonly number[]): readonly RefreshStep[] => [
  LINK_PAIR,
  ...cycles.map(pairsOfCycle),
  analyzed('link_pair'),
];

/** Touched committees and cycles, and all known ones if linkages may have changed. */
export const touchedLinkPairs = (linksAreOld: boolean): readonly RefreshStep[] => {
  const touched = 'select committee_id, cycle from touched';
  const known = `select entity_id, cycle from chart_pair where entity_id like 'C%' union select cmte_id, cycle from chart_link`;
  const pairs = linksAreOld ? `${touched} union ${known}` : `${touched} group by committee_id, cycle`;
  return [LINK_PAIR, step('pairs to link', `insert into link_pair\n${pairs}`), analyzed('link_pair')];
};

/**
 * Finds the candidates of a committee's gifts of a cycle. Only linkages of that cycle count, if the candidate's office
 * is loaded. If a link changes, its donors are folded again for the previous and the new candidate.
 */
export const findLinks = (mode: RefreshMode): readonly RefreshStep[] => [
  workTable('link_now', LINK),
  step(
    'find links',
    `insert into link_now
select p.cmte_id, p.cycle, l.cand_id, l.cmte_dsgn, coalesce(c.cand_pty_affiliation, '')
from link_pair p join linkage l on l.cmte_id = p.cmte_id and l.cycle = p.cycle
left join candidate c on c.cand_id = l.cand_id and c.cycle = l.cycle
where l.cmte_dsgn in ${OWN_DESIGNATIONS} and ${isLoadedLinkage('l')}`,
  ),
  analyzed('link_now'),
  ...(mode === 'reset' ? [] : CHANGED),
];

const CHANGED: readonly RefreshStep[] = [
  workTable('link_before', LINK),
  step(
    'links before',
    `insert into link_before
select l.cmte_id, l.cycle, l.cand_id, l.cmte_dsgn, l.party
from chart_link l join link_pair p on p.cmte_id = l.cmte_id and p.cycle = l.cycle`,
  ),
  workTable('link_changed', 'cmte_id text, cycle smallint, cand_id text'),
  step(
    'find changed links',
    `insert into link_changed
select cmte_id, cycle, cand_id
from link_now n full join link_before b using (cmte_id, cycle, cand_id)
where (n.cmte_dsgn, n.party) is distinct from (b.cmte_dsgn, b.party)`,
  ),
  analyzed('link_changed'),
];

export const storeLinks = (mode: RefreshMode): readonly RefreshStep[] => [
  mode === 'reset' ? step('remove all links', 'delete from chart_link') : REMOVE_LINKS,
  step(
    'store links',
    `insert into chart_link (cmte_id, cycle, cand_id, cmte_dsgn, party)
select cmte_id, cycle, cand_id, cmte_dsgn, party from link_now`,
  ),
  ...(mode === 'reset' ? [analyzed('chart_link')] : []),
];

const REMOVE_LINKS = step(
  'remove links',
  `delete from chart_link l using link_pair p
where l.cmte_id = p.cmte_id and l.cycle = p.cycle`,
);
