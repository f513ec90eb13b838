/** Sex as the birth files and life tables know it; the position in every table that is kept by sex. */
export const MALE = 0;
export const FEMALE = 1;
export type Sex = typeof MALE | typeof FEMALE;
export const SEXES: readonly Sex[] = [MALE, FEMALE];

/** Gender on the wire: the birth files' sex codes in lower case. */
export type Gender = 'm' | 'f';
