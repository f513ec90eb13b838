import { filedCell } from '@donorlens/campaign-finance';
import { NAMES_OF_NICKNAMES } from './nicknames';
import { type RefreshStep, analyzed, step, workTable } from './refresh-step';

/** Minimum length for the typo rule: different short names often differ by one letter, such as Mark and Mary. */
const MIN_LETTERS = 5;

const TITLES = `('MR', 'MRS', 'MS', 'MISS', 'DR')`;
const letters = (text: string): string => `translate(${text}, $$ '.-$$, '')`;

const NICKNAMES = NAMES_OF_NICKNAMES.map((pair) => `('${pair.join("', '")}')`).join(', ');

/** Only donors of the same block are compared: same ZIP and same text. A donor without a ZIP is in no block. */
const block = (text: string): string => `hashtextextended(zip || ' ' || ${text}, cycle)`;

/**
 * SQL condition: one letter is missing or different, or two adjacent letters are swapped. Two such names are equal up
 * to the middle of the shorter one, or after it. The condition checks this first, because it is cheap.
 */
const isOneTypo = (column: 'given' | 'surname'): string => {
  const [one, other] = [`a.${column}`, `b.${column}`];
  const isRest = (from: number, otherFrom: number): string =>
    `substr(${one}, i + ${from}) = substr(${other}, i + ${otherFrom})`;
  const shorter = `least(length(${one}), length(${other}))`;
  const [half, rest] = [`${shorter} / 2`, `${shorter} - ${shorter} / 2 - 1`];
  return `abs(length(${one}) - length(${other})) <= 1 and greatest(length(${one}), length(${other})) >= ${MIN_LETTERS}
    and (left(${one}, 2) = left(${other}, 2) or right(${one}, 2) = right(${other}, 2))
    and (left(${one}, ${half}) = left(${other}, ${half}) or right(${one}, ${rest}) = right(${other}, ${rest})) and exists (
      select from generate_series(0, length(${one})) i
      where left(${one}, i) = left(${other}, i) and (${isRest(2, 2)} or ${isRest(1, 2)} or ${isRest(2, 1)} or (
        substr(${one}, i + 1, 1) = substr(${other}, i + 2, 1) and substr(${one}, i + 2, 1) = substr(${other}, i + 1, 1)
        and ${isRest(3, 3)})))`;
};

const IS_INITIAL = '(length(a.given) = 1 or length(b.given) = 1) and left(a.given, 1) = left(b.given, 1)';

const pairs = (
  same: 'same_surname' | 'same_start' | 'same_end',
  differ: 'given' | 'surname',
  condition: string,
): string => `select a.cycle, least(a.donor_key, b.donor_key) as donor_key, greatest(a.donor_key, b.donor_key) as other_key
from compared_donor a join compared_donor b on b.${same} = a.${same} and a.${differ} < b.${differ}
where ${condition}`;

/**
 * Finds pairs of donors of presidential candidates who may be one person, in the cycles of `measured_cycle`. Both have
 * the same ZIP. Either the surnames are equal and the given names differ by a nickname, an initial or a typo; or the
 * given names are equal and the surnames differ by a typo, with the same first two or last two letters.
 */
export const NEAR_DUPLICATES: readonly RefreshStep[] = [
  workTable('measured_donor', 'cycle smallint, donor_key bigint, row_id bigint'),
  step(
    'donors to compare',
    `insert into measured_donor
select f.cycle, f.donor_key, min(f.first_row)
from donor_first f join chart_link l on l.cmte_id = f.entity_id and l.cycle = f.cycle
where f.cycle in (select cycle from measured_cycle) and l.cand_id like 'P%' and f.first_on is not null
group by f.donor_key, f.cycle`,
  ),
  analyzed('measured_donor'),
  workTable(
    'compared_donor',
    'cycle smallint, donor_key bigint, surname text, given text, names text[], same_surname bigint, same_start bigint, same_end bigint',
  ),
  step(
    'names of donors',
    `insert into compared_donor
select cycle, donor_key, surname, given, names,
  ${block('surname')}, ${block(`given || ' ' || left(surname, 2)`)}, ${block(`given || ' ' || right(surname, 2)`)}
from (
  select cycle, donor_key, zip, ${letters(`split_part(name, ',', 1)`)} as surname,
    case when ${letters('first')} in ${TITLES} then ${letters('second')} else ${letters('first')} end as given
  from (
    select cycle, donor_key, zip, name, split_part(words, ' ', 1) as first, split_part(words, ' ', 2) as second
    from (
      select c.cycle, d.donor_key, left(${filedCell('c', 'ZIP_CODE')}, 5) as zip, name, ltrim(split_part(name, ',', 2)) as words
      from measured_donor d join contribution c on c.cycle = d.cycle and c.row_id = d.row_id
      cross join lateral (select upper(${filedCell('c', 'NAME')}) as name) n) filed offset 0) word offset 0) one
left join (select given, array_agg(name) as names from (values ${NICKNAMES}) n (given, name) group by given) nickname using (given)
where zip <> '' and surname <> '' and given <> ''`,
  ),
  analyzed('compared_donor'),
  workTable('near_pair', 'cycle smallint, donor_key bigint, other_key bigint'),
  step(
    'near-duplicate donors',
    `insert into near_pair
${[
  pairs('same_surname', 'given', `${IS_INITIAL} or a.names && b.names or (${isOneTypo('given')})`),
  pairs('same_start', 'surname', isOneTypo('surname')),
  pairs('same_end', 'surname', isOneTypo('surname')),
].join('\nunion\n')}`,
  ),
];
