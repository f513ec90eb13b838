import { ADULT_AGE } from '@donorlens/demographics';
import { type CivilDay, type NameDetail, formatCivilDay } from '@donorlens/primitives';
import { type ChunkSpec } from './chunk';
import { type Contribution, emptyContribution } from './contribution';
import {
  type EnrichmentRules,
  type EnrichmentTables,
  EnrichedItem,
  enrichContribution,
  enrichmentRules,
  isOrganization,
} from './enrich-contribution';
import { itemReader } from './item-reader';

type BatchSpec = Pick<ChunkSpec, 'type' | 'format' | 'columns' | 'mapping' | 'minAge'>;

/**
 * Reads items of a batch again, as the worker did, and returns the basis of their estimates.
 * @param tables - of the batch's data release
 * @returns detail of an item that has a result, by its stored source
 */
export function itemDetails(spec: BatchSpec, tables: EnrichmentTables): (source: string) => NameDetail | null {
  const rules = enrichmentRules(spec.type, spec.minAge);
  const item = new EnrichedItem();
  return (source) => {
    const reader = itemReader(spec, Buffer.from(source));
    if (!reader.next() || reader.read() !== null) return null;
    return detailOf(reader.contribution, tables, rules, item);
  };
}

/** Name of a stored contribution, as filed. */
interface FiledName {
  readonly name: string;
  readonly entityType: string;
  readonly on: CivilDay | null;
}

/**
 * Detail of a stored contribution.
 * @param tables - of the data release that the row was enriched with
 * @returns null if the enrichment of the row fails: such a row is stored without attributes
 */
export function filedNameDetail({ name, entityType, on }: FiledName, tables: EnrichmentTables): NameDetail | null {
  const date = on === null ? '' : formatCivilDay(on);
  const contribution = { ...emptyContribution(), contributorName: name, entityType, date };
  try {
    return detailOf(contribution, tables, enrichmentRules('contributions', null), new EnrichedItem());
  } catch {
    return null;
  }
}

const millionths = (share: number | null): number | null => (share === null ? null : Math.round(share * 1e6) / 1e6);

/** @param item - is overwritten */
function detailOf(
  contribution: Contribution,
  tables: EnrichmentTables,
  rules: EnrichmentRules,
  item: EnrichedItem,
): NameDetail {
  const { ages } = tables.demographics;
  enrichContribution(contribution, tables, rules, item);
  const { nameIndex, ageYears, gender, surnameTable, surnameRow, on } = item;
  const quartiles = ageYears === null || on === null ? null : ages.quartiles(nameIndex, on, rules.minAge ?? 0);
  const femaleShare =
    quartiles === null || on === null ? null : ages.femaleShareLiving(nameIndex, on, rules.minAge ?? 0);
  const probability = nameIndex < 0 || gender === null ? null : ages.genderProbability(nameIndex, gender);
  return {
    age_q25: quartiles?.q25 ?? null,
    age_q75: quartiles?.q75 ?? null,
    gender_prob: millionths(probability),
    female_share_living: millionths(femaleShare),
    first_name_key: nameIndex < 0 ? null : tables.demographics.firstNameKey(nameIndex),
    surname_key: surnameTable?.names.keyAt(surnameRow) ?? null,
    name_kind: kindOf(contribution, item),
    age_basis: ageYears === null ? null : rules.minAge === ADULT_AGE ? 'adult' : 'name',
    ethnicity_basis: surnameTable === null ? null : 'surname',
  };
}

/** A name in separate columns is that of a person, unless the entity type or the filed name is of an organization. */
function kindOf(contribution: Contribution, { parsed }: EnrichedItem): NameDetail['name_kind'] {
  const { firstName, surname } = contribution;
  if (isOrganization(contribution, parsed)) return 'organization';
  if (firstName && surname) return 'person';
  if (parsed !== null) return parsed.kind;
  return firstName || surname ? 'person' : null;
}
