import { AgeEstimator } from './ages/age-estimator';
import type { BirthTable } from './ages/birth-table';
import { type KnownNames, type ParsedName, givenNameKey, parseContributorName } from './names/contributor-name';
import { EthnicityLookup } from './ethnicity';
import type { LifeTables } from './ages/cohort-survival';
import type { StepTable } from './ages/step-table';
import type { SurnameTable } from './surname-table';

/** The tables of one release that answer questions about names. */
export interface ReferenceTables {
  readonly births: BirthTable;
  readonly life: LifeTables;
  readonly steps: StepTable | null;
  readonly surnames2000: SurnameTable;
  readonly surnames2010: SurnameTable;
}

/** Every answer about a name, from one release's tables: the one thing that api and enrichment hold. */
export class Demographics {
  readonly ages: AgeEstimator;
  readonly ethnicity: EthnicityLookup;
  private readonly known: Readonly<Record<2000 | 2010, KnownNames>>;

  constructor(tables: ReferenceTables) {
    this.ages = new AgeEstimator(tables.births, tables.life, tables.steps);
    this.ethnicity = new EthnicityLookup(tables.surnames2000, tables.surnames2010);
    const knownBy = (surnames: SurnameTable): KnownNames => ({
      firstName: (key) => tables.births.names.find(key) >= 0,
      surname: (key) => surnames.names.find(key) >= 0,
    });
    this.known = { 2000: knownBy(tables.surnames2000), 2010: knownBy(tables.surnames2010) };
  }

  /** A contributor name as filed, with keys of the birth files and of the surname file of the year. */
  parseName(raw: string, entityType: string | undefined, year: number): ParsedName {
    return parseContributorName(raw, entityType, this.known[this.ethnicity.tableFor(year).census]);
  }

  /** Given names as they stand in a column of their own, by the key of the birth files; null where they know none. */
  givenNameKey(raw: string): string | null {
    return givenNameKey(raw, this.known[2010]);
  }
}
