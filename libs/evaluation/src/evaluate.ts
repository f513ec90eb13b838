import {
  AREA_LEVELS,
  type AreaCodes,
  type Demographics,
  type EthnicGeography,
  type EthnicityBasis,
  type Gender,
  PCT_COLUMNS,
  type Race,
  emptyPlaceEthnicity,
  placeEthnicity,
} from '@donorlens/demographics';
import { type EnrichmentTables, type EnrichedItem, enrichItem } from '@donorlens/enrichment';
import { type ClassEstimate, type ClassScores, classScores } from './class-scores';
import { type AgeEvaluation, type Person, evaluateAges } from './evaluate-ages';
import { type TruthRow } from './truth-file';

interface EthnicityEvaluation extends ClassScores {
  readonly basis: 'surname' | 'place';
  /** by place: rows by the area that their estimate follows from */
  readonly areas?: Readonly<Record<EthnicityBasis, number>>;
}

/** Results of `evaluate`; a part is null if the file lacks its true values. */
export interface Evaluation {
  readonly rows: number;
  /** rows that cannot be enriched, such as those with an invalid date */
  readonly invalid_rows: number;
  readonly first_names_known: number;
  readonly surnames_known: number;
  readonly ages: AgeEvaluation | null;
  readonly gender: readonly (ClassScores & { readonly basis: 'name' })[] | null;
  readonly ethnicity: readonly EthnicityEvaluation[] | null;
  /** why ethnicity by place is not measured; null if it is, or if no race is known */
  readonly place_unmeasured: 'no_geography' | 'no_places' | null;
}

/** Tables of a data release. */
export interface EvaluationTables extends EnrichmentTables {
  readonly geography: EthnicGeography | null;
}

type RaceEstimate = ClassEstimate<(typeof PCT_COLUMNS)[number]>;

/** A row of known race by both bases. */
interface RaceEstimates {
  readonly surname: RaceEstimate;
  readonly place: RaceEstimate;
  /** what `place` follows from */
  readonly area: EthnicityBasis;
}

/** Enriches people of known attributes by every basis and compares. Equal rows and tables give equal results. */
export function evaluate(rows: readonly TruthRow[], tables: EvaluationTables): Evaluation {
  const people: Person[] = [];
  const genders: ClassEstimate<Gender>[] = [];
  const races: RaceEstimates[] = [];
  const counts = { invalid_rows: 0, first_names_known: 0, surnames_known: 0 };
  for (const { item: columns, group, age, gender, race, geoid } of rows) {
    const item = enrichItem('contributions', columns, tables);
    if (item.errorCode !== null) counts.invalid_rows++;
    if (item.nameIndex >= 0) counts.first_names_known++;
    if (item.surnameTable !== null) counts.surnames_known++;
    if (age !== null && item.on !== null) people.push({ group, age, name: item.nameIndex, on: item.on });
    if (gender !== null && item.nameIndex >= 0) genders.push(genderEstimate(gender, item, tables.demographics));
    if (race !== null && item.surnameTable !== null)
      races.push(raceEstimates(race, item, areaCodes(item, geoid), tables.geography));
  }
  const gender = classScores(['m', 'f'], genders);
  return {
    rows: rows.length,
    ...counts,
    ages: evaluateAges(people, tables.demographics),
    gender: gender && [{ basis: 'name', ...gender }],
    ...ethnicityOf(races, tables.geography),
  };
}

function genderEstimate(truth: Gender, item: EnrichedItem, { ages }: Demographics): ClassEstimate<Gender> {
  const male = ages.genderProbability(item.nameIndex, 'm');
  return { truth, label: item.gender, probabilities: [male, 1 - male] };
}

/** A tract of the file counts as that of a geocoded address. */
const areaCodes = ({ fips, zip }: EnrichedItem, geoid: string | null): AreaCodes =>
  geoid === null ? { fips, zip, tract: null } : { fips: geoid.slice(0, 5), tract: geoid.slice(5), zip };

/** Both bases for one row with a listed surname, so that they are compared on the same rows. */
function raceEstimates(
  truth: Race,
  item: EnrichedItem,
  place: AreaCodes,
  geography: EthnicGeography | null,
): RaceEstimates {
  const surname = raceEstimate(truth, item);
  if (geography === null) return { surname, place: surname, area: 'surname' };
  const placed = placeEthnicity(item, place, geography, emptyPlaceEthnicity());
  return { surname, place: raceEstimate(truth, placed), area: placed.ethnicityBasis ?? 'surname' };
}

function raceEstimate(
  truth: Race,
  { race, pctHundredths }: { readonly race: string | null; readonly pctHundredths: ArrayLike<number> | null },
): RaceEstimate {
  const shares = Array.from(pctHundredths ?? []);
  const sum = shares.reduce((total, share) => total + share, 0);
  return { truth, label: race as Race, probabilities: shares.map((share) => share / sum) };
}

function ethnicityOf(
  races: readonly RaceEstimates[],
  geography: EthnicGeography | null,
): Pick<Evaluation, 'ethnicity' | 'place_unmeasured'> {
  const surname = classScores(
    PCT_COLUMNS,
    races.map((one) => one.surname),
  );
  if (surname === null) return { ethnicity: null, place_unmeasured: null };
  const bySurname = { basis: 'surname' as const, ...surname };
  if (geography === null) return { ethnicity: [bySurname], place_unmeasured: 'no_geography' };
  if (races.every(({ area }) => area === 'surname')) return { ethnicity: [bySurname], place_unmeasured: 'no_places' };
  const place = classScores(
    PCT_COLUMNS,
    races.map((one) => one.place),
  )!;
  const rowsBy = (basis: EthnicityBasis): number => races.filter(({ area }) => area === basis).length;
  const areas = Object.fromEntries([...AREA_LEVELS, 'surname' as const].map((basis) => [basis, rowsBy(basis)]));
  return {
    ethnicity: [bySurname, { basis: 'place', areas: areas as Record<EthnicityBasis, number>, ...place }],
    place_unmeasured: null,
  };
}
