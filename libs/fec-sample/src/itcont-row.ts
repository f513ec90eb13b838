import { type Random } from './random';
import { filedNameOf, type SamplePerson } from './sample-person';

/** The cells of a row of `itcont` that differ from row to row. */
export interface ItcontRow {
  readonly committeeId: string;
  readonly type: string;
  readonly entity: string;
  readonly name: string;
  readonly person: SamplePerson;
  /** MMDDYYYY */
  readonly date: string;
  readonly amount: string;
  readonly otherId: string;
  readonly memoCode: string;
  readonly memoText: string;
}

/**
 * A gift of a person to a committee, as its report has it.
 * @param changed - cells that differ from a plain gift, such as those of a refund
 */
export const giftRow = (
  committeeId: string,
  person: SamplePerson,
  date: string,
  amount: string,
  random: Random,
  changed: Partial<ItcontRow> = {},
): ItcontRow => ({
  committeeId,
  type: '15',
  entity: 'IND',
  name: filedNameOf(person, random),
  person,
  date,
  amount,
  otherId: '',
  memoCode: '',
  memoText: '',
  ...changed,
});

/** What the FEC adds when it enters a row. */
export interface Entry {
  readonly cycle: number;
  /** Number of the row within the file. */
  readonly number: number;
  readonly amendment: string;
}

/** The line without its end. */
export function itcontLine(row: ItcontRow, { cycle, number, amendment }: Entry): string {
  const { person } = row;
  const quarter = 1 + (Math.floor(number / 97) % 4);
  const report = amendment === 'T' ? 'TER' : `Q${quarter}`;
  const image = `${cycle}04159${String(number % 1_000_000_000).padStart(9, '0')}`;
  const file = `${cycle - 2010}${row.committeeId.slice(-2)}${quarter}00`;
  const place = `${person.city}|${person.state}|${person.zip}|${person.employer}|${person.occupation}`;
  return (
    `${row.committeeId}|${amendment}|${report}|P${cycle}|${image}|${row.type}|${row.entity}|${row.name}|${place}|` +
    `${row.date}|${row.amount}|${row.otherId}|SA17A.${number}|${file}|${row.memoCode}|${row.memoText}|` +
    `4${cycle}${String(number).padStart(14, '0')}`
  );
}
