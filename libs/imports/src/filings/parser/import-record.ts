import { EARMARK_WORD } from '@donorlens/campaign-finance';
import { donorName } from '@donorlens/demographics';
import { FIELD_SEPARATOR, type RejectCode, parseCents } from '@donorlens/tabular';
import { bulkDate } from './filing-values';
import { type FiledItem, type FilingCover, type ItemPlace } from './filing';
import { amendmentIndicator, FORM_LINES, formKind, type FormLines } from './filing-cover';

/** Result for an item: an import record, a reject code, or null if it is not for an imported committee. */
export type Recorded = { readonly record: string } | { readonly rejected: RejectCode } | null;

/** Value of FILE_NUM; '' if unknown. */
type FileNumber = string;

const COMMITTEE_IDS = /C\d{8}/g;
/**
 * Version of the rules that make records of a filing. Stored filings of another version are read again when they are
 * imported under the same number. Version 2 has titles.
 */
export const RECORD_VERSION = 2;
/** The limit for lines of the bulk files. */
const MAX_RECORD_BYTES = 4096;
/** The length of NAME in the bulk files. */
const MAX_NAME_LENGTH = 200;

/**
 * Makes import records of the items of one filing: the 21 columns of the bulk files, then LINE, LAST, FIRST and two
 * streets, separated by character 28. Forms F3 and F3P give rows of their filer. A form F3X of a committee that is
 * linked to a candidate, such as a joint fundraiser, gives its own rows. Other forms F3X give rows earmarked for such a
 * committee.
 */
export class RecordMaker {
  private readonly lines: FormLines;
  private readonly isOwn: boolean;

  constructor(
    private readonly cover: FilingCover,
    private readonly fileNumber: FileNumber,
    private readonly committees: ReadonlySet<string>,
  ) {
    const kind = formKind(cover.form) ?? 'F3X';
    this.lines = FORM_LINES[kind];
    this.isOwn = kind !== 'F3X' || committees.has(cover.filer);
  }

  recordOf(item: FiledItem | null, place: ItemPlace): Recorded {
    if (item === null) return this.isOwn ? { rejected: 'wrong_column_count' } : null;
    const type = this.typeOf(item);
    if (type === null) return null;
    if (Number.isNaN(parseCents(item.amount))) return { rejected: 'bad_amount' };
    const record = this.cells(item, type, place).join(FIELD_SEPARATOR);
    return Buffer.byteLength(record) > MAX_RECORD_BYTES ? { rejected: 'too_long' } : { record };
  }

  /** Transaction type and OTHER_ID; null if the item is not imported. */
  private typeOf(item: FiledItem): Typed | null {
    if (!this.isOwn) return this.earmarkedType(item);
    const own = (type: string): Typed => ({ type, otherId: item.otherCommittee });
    if (item.line === this.lines.refunds) return own('22Y');
    if (item.line === this.lines.transfers) return isPersonsMemo(item) ? own('15J') : null;
    return own(isEarmarked(item) ? '15E' : '15');
  }

  private earmarkedType(item: FiledItem): Typed | null {
    if (item.line === this.lines.refunds || !isEarmarked(item)) return null;
    const named = `${item.memoText} ${item.purpose} ${item.otherCommittee}`.toUpperCase().match(COMMITTEE_IDS) ?? [];
    const otherId = named.find((id) => this.committees.has(id));
    return otherId === undefined ? null : { type: '24T', otherId };
  }

  private cells(item: FiledItem, { type, otherId }: Typed, place: ItemPlace): string[] {
    const { cover } = this;
    return [
      cover.filer,
      amendmentIndicator(cover.form),
      cover.reportCode,
      item.electionCode,
      '',
      type,
      item.entityType,
      nameOf(item),
      item.city,
      item.state,
      item.zip,
      item.employer,
      item.occupation,
      bulkDate(item.date),
      item.amount,
      otherId,
      // The first versions have no transaction ids: the line number identifies the row.
      item.transactionId === '' ? `LINE-${place.line}` : item.transactionId,
      this.fileNumber,
      item.memoCode,
      item.memoText,
      '',
      item.line,
      item.lastName,
      item.firstName,
      item.street1,
      item.street2,
    ];
  }
}

interface Typed {
  readonly type: string;
  readonly otherId: string;
}

const isEarmarked = (item: FiledItem): boolean => EARMARK_WORD.test(item.memoText) || EARMARK_WORD.test(item.purpose);

/** True for a donor of a joint fundraiser, listed as a memo item below the transfer. */
const isPersonsMemo = (item: FiledItem): boolean =>
  item.memoCode === 'X' && (item.entityType === 'IND' || item.entityType === 'CAN');

/**
 * `LAST, FIRST MIDDLE TITLE SUFFIX` as in the bulk files, or the name of an organization. A title is left out if
 * another donor would be read from the name: in `RAHMAN, MD MR.`, all given names could be titles.
 */
function nameOf(item: FiledItem): string {
  const { lastName, firstName, prefix, entityType } = item;
  if (lastName === '') return item.organization;
  const name = joinedName(item, '');
  if (firstName === '' || prefix === '') return name;
  const titled = joinedName(item, prefix);
  const [donor, same] = [name, titled].map((text) => donorName(text, entityType));
  const isSame = donor.surname === same.surname && donor.given === same.given;
  return isSame && titled.length <= MAX_NAME_LENGTH ? titled : name;
}

function joinedName({ lastName, firstName, middleName, suffix }: FiledItem, title: string): string {
  const given = [firstName, middleName, title, suffix].filter((part) => part !== '').join(' ');
  return given === '' ? lastName : `${lastName}, ${given}`;
}
