import { type SurnameTable, raceAt } from '@donorlens/demographics';
import { type CivilDay } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { type MadeUpFile } from './made-up-file';

/** What the others join with, as text of COPY, worked out beforehand: it is no part of their time. */
export interface LookUpTables {
  /** First name as the file has it, gender, days on which the age changes, age from each of them on. */
  readonly firstNames: Buffer;
  /** Census, surname, race, the six shares. */
  readonly surnames: Buffer;
}

const NULL = '\\N';

/** Only of names and days that are in the file, so that the tables of the others are as small as can be. */
export function lookUpTables({ demographics, tables }: Release, { donors }: MadeUpFile): LookUpTables {
  const days = donors.map(({ day }) => day);
  const [from, to] = [days.reduce((a, b) => Math.min(a, b)), days.reduce((a, b) => Math.max(a, b))];
  const firstNames = [...new Set(donors.map(({ given }) => given))].map((given) => {
    const name = demographics.ages.nameIndex(given);
    if (name < 0) return '';
    const [on, ages] = steps((day) => demographics.ages.ageAt(name, day), from, to);
    return `${given}\t${demographics.ages.genderOf(name, to) ?? NULL}\t{${on.join()}}\t{${ages.join()}}\n`;
  });
  return {
    firstNames: Buffer.from(firstNames.join('')),
    surnames: Buffer.from([tables.surnames2000, tables.surnames2010].map(surnamesOf).join('')),
  };
}

function steps(ageAt: (on: CivilDay) => number, from: CivilDay, to: CivilDay): [number[], (number | 'NULL')[]] {
  const days: number[] = [];
  const ages: (number | 'NULL')[] = [];
  for (let on = from; on <= to; on++) {
    const age = ageAt(on);
    const shown = age < 0 ? 'NULL' : age;
    if (shown === ages.at(-1)) continue;
    days.push(on);
    ages.push(shown);
  }
  return [days, ages];
}

function surnamesOf(table: SurnameTable): string {
  let text = '';
  for (let i = 0; i < table.names.size; i++) {
    const shares = table.pct.subarray(6 * i, 6 * i + 6).join('\t');
    text += `${table.census}\t${table.names.keyAt(i)}\t${raceAt(table, i) ?? NULL}\t${shares}\n`;
  }
  return text;
}
