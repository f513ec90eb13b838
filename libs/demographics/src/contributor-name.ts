import { firstNameKey } from './first-name-key';
import { surnameKeys } from './surname-key';

export type NameKind = 'person' | 'couple' | 'organisation' | 'unparsed';

/** Contributor name as filed, taken apart. Keys are spellings that are in the files, null where there is none. */
export interface ParsedName {
  readonly kind: NameKind;
  readonly firstKey: string | null;
  readonly surnameKey: string | null;
}

/** Which keys the loaded files hold. */
export interface KnownNames {
  firstName(key: string): boolean;
  surname(key: string): boolean;
}

/** Takes a contributor name as filed apart. */
export function parseContributorName(raw: string, _entityType: string | undefined, known: KnownNames): ParsedName {
  const [last, first = ''] = raw.split(',');
  const key = firstNameKey(first.trim().split(' ')[0]);
  return {
    kind: 'person',
    firstKey: known.firstName(key) ? key : null,
    surnameKey: surnameKeys(last).find((candidate) => known.surname(candidate)) ?? null,
  };
}
