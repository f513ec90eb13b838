import { type FiledItem } from './filing';
import { type ItemColumns, type VersionMap } from './version-maps';

/** Reads the columns of a line by the map of its version; null if the line ends before the amount. */
export function readItem(
  line: string,
  fields: readonly string[],
  map: VersionMap,
  nameDelimiter: string,
): FiledItem | null {
  const columns = line.startsWith('SB') ? map.disbursement : map.receipt;
  if (fields.length < columns.amount) return null;
  const cell = (column: number): string => (column === 0 ? '' : (fields[column - 1] ?? ''));
  return {
    line,
    transactionId: cell(columns.transactionId),
    ...personOf(columns, cell, nameDelimiter),
    street1: cell(columns.street1),
    street2: cell(columns.street1 + 1),
    city: cell(columns.street1 + 2),
    state: cell(columns.street1 + 3),
    zip: cell(columns.street1 + 4),
    electionCode: cell(columns.electionCode),
    date: cell(columns.date),
    amount: cell(columns.amount),
    purpose: cell(columns.purpose),
    employer: cell(columns.employer),
    occupation: cell(columns.occupation),
    otherCommittee: cell(columns.otherCommittee),
    memoCode: cell(columns.memoCode).toUpperCase(),
    memoText: cell(columns.memoText),
  };
}

type Person = Pick<
  FiledItem,
  'entityType' | 'organization' | 'lastName' | 'firstName' | 'middleName' | 'prefix' | 'suffix'
>;

function personOf(columns: ItemColumns, cell: (column: number) => string, nameDelimiter: string): Person {
  const entityType = cell(columns.entityType).toUpperCase();
  const lastName = columns.lastName === 0 ? '' : cell(columns.lastName);
  if (columns.name === 0 || lastName !== '')
    return {
      entityType,
      organization: cell(columns.organization),
      lastName,
      firstName: cell(columns.lastName + 1),
      middleName: cell(columns.lastName + 2),
      prefix: cell(columns.lastName + 3),
      suffix: cell(columns.lastName + 4),
    };
  const parts = cell(columns.name).split(nameDelimiter);
  return joinedName(
    parts.map((part) => part.trim()),
    entityType,
    columns.entityType === 0,
  );
}

/** `LAST^FIRST MIDDLE^PREFIX^SUFFIX`. A name without a delimiter is that of an organization. */
function joinedName(parts: readonly string[], entityType: string, typesUnknown: boolean): Person {
  const isPerson = parts.length > 1;
  return {
    entityType: typesUnknown && isPerson ? 'IND' : entityType,
    organization: isPerson ? '' : parts[0],
    lastName: isPerson ? parts[0] : '',
    firstName: parts[1] ?? '',
    middleName: '',
    prefix: parts[2] ?? '',
    suffix: parts[3] ?? '',
  };
}
