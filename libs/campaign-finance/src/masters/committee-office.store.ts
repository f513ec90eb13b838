/** Designations of committees whose money and donors are a candidate's: principal, authorized, joint fundraising. */
export const OWN_DESIGNATIONS = `('P', 'A', 'J')`;

/**
 * Whether candidates of the linkage's office are loaded: linkages are stored for all offices, candidates for those of
 * FEC_OFFICES. Presidential ones always are.
 * @param linkage - alias of table linkage
 */
export const isLoadedLinkage = (linkage: string): string =>
  `(${linkage}.cand_id like 'P%' or exists (select from candidate loaded where loaded.cand_id = ${linkage}.cand_id))`;

/**
 * Whether a committee raises money in a cycle for a candidate of one of the offices: by its links of the cycle, else by
 * its linkages of the nearest one. A committee without either is presidential.
 * @param offices - an array of texts
 */
export const isCommitteeOf = (offices: string, committee: string, cycle: string): string => `coalesce(
  (select bool_or(left(k.cand_id, 1) = any (${offices})) from chart_link k
   where k.cmte_id = ${committee} and k.cycle = ${cycle}),
  (select bool_or(left(l.cand_id, 1) = any (${offices})) from linkage l
   where l.cmte_id = ${committee} and l.cmte_dsgn in ${OWN_DESIGNATIONS} and ${isLoadedLinkage('l')} and l.cycle = (
     select near.cycle from linkage near where near.cmte_id = ${committee}
     order by abs(near.cycle - ${cycle}), near.cycle limit 1)),
  'P' = any (${offices}))`;
