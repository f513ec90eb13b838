import { type BirthTable, birthsOf } from './birth-table';
import { FEMALE, type Gender, MALE } from './sex';

/** Gender of a name by all births of the edition, one byte a name. */
export const BY_BIRTHS: readonly (Gender | undefined)[] = ['m', 'f', undefined];
const TIED = 2;

/** Position in BY_BIRTHS for every name; equal births have none. */
export function gendersByBirths(births: BirthTable): Uint8Array {
  const genders = new Uint8Array(births.names.size);
  for (let name = 0; name < genders.length; name++) {
    const males = birthsOf(births, name, MALE);
    const females = birthsOf(births, name, FEMALE);
    genders[name] = males > females ? MALE : females > males ? FEMALE : TIED;
  }
  return genders;
}
