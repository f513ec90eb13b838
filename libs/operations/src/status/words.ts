const DAY_MS = 86_400_000;

/** `1 chunk`, `1,200 chunks`. */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;

/** The time of a moment near another one, with its day where that is more than half a day away. */
export function clock(moment: Date, now: Date): string {
  const text = moment.toISOString();
  const isNear = Math.abs(now.getTime() - moment.getTime()) < DAY_MS / 2;
  return `${isNear ? '' : `${text.slice(0, 10)} `}${text.slice(11, 19)} UTC`;
}

export const since = (moment: Date, now: Date): string => `since ${clock(moment, now)}`;
