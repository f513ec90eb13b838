import {
  type AgeAndGender,
  type Gender,
  type ParsedName,
  type Race,
  type SurnameEthnicity,
  type SurnameTable,
} from '@donorlens/demographics';
import { type PostalAddress } from '@donorlens/locations';
import { type Attributes, type ItemErrorCode, type Outcome } from '@donorlens/primitives';

/** Outcome and attributes of one item. Filled again for every row of a chunk, so that a row costs no objects. */
export class EnrichedItem implements Attributes, AgeAndGender, SurnameEthnicity {
  outcome: Outcome = 'not_found';
  errorCode: ItemErrorCode | null = null;
  ageYears: number | null = null;
  gender: Gender | null = null;
  race: Race | null = null;
  /** County that the sender gave, and its income; the address may say another one. */
  fips: string | null = null;
  householdIncome: number | null = null;
  /** Where the addresses of a contribution were asked for and it has one that can be located; else both are null. */
  address: PostalAddress | null = null;
  addressKey: Buffer | null = null;
  surnameTable: SurnameTable | null = null;
  surnameRow = -1;
  /** The filed name taken apart, where it was asked for. */
  parsed: ParsedName | null = null;
  /** Position of the first name in the birth files, -1 where it is not there. */
  nameIndex = -1;
  private readonly shares = new Uint16Array(6);

  get pctHundredths(): Uint16Array | null {
    const { surnameTable: table, shares } = this;
    if (table === null) return null;
    for (let i = 0; i < 6; i++) shares[i] = table.pct[6 * this.surnameRow + i];
    return shares;
  }

  clear(): void {
    this.outcome = 'not_found';
    this.errorCode = null;
    this.ageYears = this.gender = this.race = null;
    this.fips = this.householdIncome = null;
    this.address = this.addressKey = null;
    this.surnameTable = null;
    this.surnameRow = -1;
    this.parsed = null;
    this.nameIndex = -1;
  }

  /** Nothing is known of the item, and why. */
  refuse(code: ItemErrorCode, outcome: 'invalid' | 'failed' = 'invalid'): void {
    this.clear();
    this.outcome = outcome;
    this.errorCode = code;
  }

  copied(): EnrichedItem {
    const copy = new EnrichedItem();
    copy.outcome = this.outcome;
    copy.errorCode = this.errorCode;
    copy.ageYears = this.ageYears;
    copy.gender = this.gender;
    copy.race = this.race;
    copy.fips = this.fips;
    copy.householdIncome = this.householdIncome;
    copy.address = this.address;
    copy.addressKey = this.addressKey;
    copy.parsed = this.parsed;
    copy.nameIndex = this.nameIndex;
    copy.surnameTable = this.surnameTable;
    copy.surnameRow = this.surnameRow;
    return copy;
  }
}
