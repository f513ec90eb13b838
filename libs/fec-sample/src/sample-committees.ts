/**
 * Candidates, committees and linkages of a synthetic campaign. Text is Latin-1; cells are cut as in the official files.
 */

export interface SampleCommittee {
  readonly id: string;
  readonly name: string;
  readonly designation: string;
  readonly type: string;
  readonly party: string;
  readonly candidate: string;
  /** Weight among all campaign committees. */
  readonly share: number;
  /** From -1 to 1: whether donors with older or younger names prefer it. */
  readonly lean: number;
}

const committee = (
  number: number,
  name: string,
  designation: string,
  type: string,
  party = '',
  candidate = '',
  share = 0,
  lean = 0,
): SampleCommittee => ({ id: `C${99_900_000 + number}`, name, designation, type, party, candidate, share, lean });

const HARTWELL = 'P90000001';
const KINGSLEY = 'P90000002';
const PENA = 'P90000003';
const BRAMBLE = 'P90000004';

/** Direct money goes to these. */
export const CAMPAIGN_COMMITTEES = [
  committee(1, 'HARTWELL FOR PRESIDENT', 'P', 'P', 'DEM', HARTWELL, 38),
  committee(2, 'KINGSLEY FOR AMERICA, INC.', 'P', 'P', 'REP', KINGSLEY, 34, -0.7),
  committee(3, 'FRIENDS OF SOFÍA PEÑA-LINDQUIST', 'P', 'P', 'DEM', PENA, 18, 0.9),
  committee(4, 'BRAMBLE 4 PREZ', 'P', 'P', 'IND', BRAMBLE, 4, 0.6),
  committee(5, 'HARTWELL FORWARD', 'A', 'P', 'DEM', HARTWELL, 6),
] as const;

/** Raises for two candidates at once and passes on what it raised. */
export const JOINT_FUNDRAISER = committee(6, 'HARTWELL PEÑA VICTORY FUND', 'J', 'N');
export const JOINT_CANDIDATES = [HARTWELL, PENA] as const;

/** Gifts made through it go to the committees they are marked for. */
export const CONDUIT = committee(20, 'MADE-UP GIFTS ONLINE', 'U', 'V');

export const OTHER_COMMITTEES = [
  committee(11, 'ORCHARD FOR CONGRESS', 'P', 'H', 'DEM', 'H0ZZ01001'),
  committee(12, 'SAMPLE GROCERS PAC', 'B', 'Q'),
  committee(13, 'LAKEMONT FOR SENATE', 'P', 'S', 'REP', 'S0ZZ00002'),
] as const;

/** In the second cycle its linkage is missing, though it still raises. */
const UNLINKED_LATER = 'C99900004';

const CANDIDATES: readonly (readonly [id: string, name: string, party: string, committee: string])[] = [
  [HARTWELL, 'HARTWELL, JOSEPHINE / MARCUS DELANEY', 'DEM', 'C99900001'],
  [KINGSLEY, 'KINGSLEY, ROBERT W.  ', 'REP', 'C99900002'],
  [PENA, 'PEÑA-LINDQUIST, SOFÍA', 'DEM', 'C99900003'],
  [BRAMBLE, 'BRAMBLE, WALTER "THE HEDGE"', 'IND', 'C99900004'],
  ['P90000005', 'MOONBEAM, CAPTAIN', 'UNK', ''],
  ['H0ZZ01001', 'ORCHARD, FELICITY', 'DEM', 'C99900011'],
  ['S0ZZ00002', 'LAKEMONT, DESMOND III', 'REP', 'C99900013'],
];

export function candidateLines(cycle: number): readonly string[] {
  return CANDIDATES.map(([id, name, party, principal]) => {
    const office = id.charAt(0);
    const [state, district] = office === 'P' ? ['US', '00'] : ['ZZ', office === 'H' ? '01' : '00'];
    const address = ['PO BOX 100', '', 'SPRINGFIELD', 'IL', '62701'];
    return [id, name, party, cycle, state, office, district, 'C', 'C', principal, ...address].join('|');
  });
}

export const committeeLines = (): readonly string[] =>
  [...CAMPAIGN_COMMITTEES, JOINT_FUNDRAISER, CONDUIT, ...OTHER_COMMITTEES].map(
    ({ id, name, designation, type, party, candidate }) =>
      `${id}|${name}|DOE, JANE|PO BOX 100||SPRINGFIELD|IL|62701|${designation}|${type}|${party}|Q|||${candidate}`,
  );

export function linkageLines(cycle: number, isLater: boolean): readonly string[] {
  const linked = [...CAMPAIGN_COMMITTEES, ...OTHER_COMMITTEES]
    .filter(({ id, candidate }) => candidate !== '' && !(isLater && id === UNLINKED_LATER))
    .map(({ id, candidate, type, designation }) => [candidate, cycle, cycle, id, type, designation]);
  const joint = JOINT_CANDIDATES.map((candidate) => [candidate, cycle, cycle, JOINT_FUNDRAISER.id, 'N', 'J']);
  const again = [HARTWELL, cycle - 4, cycle, 'C99900001', 'P', 'P']; // one pair twice, as the official files have it
  return [...linked, ...joint, again].map((cells, index) => [...cells, 900_000 + index].join('|'));
}
