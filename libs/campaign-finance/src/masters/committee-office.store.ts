/** Committees with these designations raise money for a candidate: principal, authorized, joint fundraising. */
export const OWN_DESIGNATIONS = `('P', 'A', 'J')`;

/**
 * SQL condition: the candidate of the linkage is loaded. Donorlens stores linkages of all offices, but candidates only
 * for the offices of the setting FEC_OFFICES. Presidential linkages always pass.
 * @param linkage - alias of table linkage
 */
export const isLoadedLinkage = (linkage: string): string =>
  `(${linkage}.cand_id like 'P%' or exists (select from candidate loaded where loaded.cand_id = ${linkage}.cand_id))`;

/**
 * SQL condition: a committee raises money in a cycle for a candidate for one of the offices. Its links of the cycle
 * decide; without links, its linkages of the nearest cycle. A committee without either counts as presidential.
 * @param offices - SQL expression of type text[]
 */
export const isCommitteeOf = (offices: string, committee: string, cycle: string): string => `coalesce(
  (select bool_or(left(k.cand_id, 1) = any (${offices})) from chart_link k
   where k.cmte_id = ${committee} and k.cycle = ${cycle}),
  (select bool_or(left(l.cand_id, 1) = any (${offices})) from linkage l
   where l.cmte_id = ${committee} and l.cmte_dsgn in ${OWN_DESIGNATIONS} and ${isLoadedLinkage('l')} and l.cycle = (
     select near.cycle from linkage near where near.cmte_id = ${committee}
     order by abs(near.cycle - ${cycle}), near.cycle limit 1)),
  'P' = any (${offices}))`;
