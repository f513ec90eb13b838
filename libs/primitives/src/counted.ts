/** `1,595,497`, `478.7`: a number as people read it. */
export const grouped = (number: number): string => number.toLocaleString('en-US');

/** `1 chunk`, `1,200 chunks`, `0 addresses`. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${grouped(number)} ${number === 1 ? one : many}`;
