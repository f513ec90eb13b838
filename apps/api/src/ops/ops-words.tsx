import { type VNode } from 'preact';
import { count } from '../pages/words';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** `12 s`, `3 min`, `2 h 5 min`, `4 d`: the time between two moments, as far as it matters. */
export function span(seconds: number): string {
  if (seconds < MINUTE) return `${Math.max(0, Math.floor(seconds))} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds >= 2 * DAY) return `${Math.floor(seconds / DAY)} d`;
  const minutes = Math.floor((seconds % HOUR) / MINUTE);
  return `${Math.floor(seconds / HOUR)} h${minutes > 0 ? ` ${minutes} min` : ''}`;
}

export const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1000;

/** `2026-11-21 09:31:25 UTC`. */
export const moment = (date: Date): string => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

interface AgeProps {
  readonly at: Date | null;
  readonly now: Date;
  /** In place of a moment that is not known. */
  readonly none?: string;
}

/** How long ago, or in how long; the moment itself is its title. */
export function Age({ at, now, none = 'never' }: AgeProps): VNode {
  if (at === null) return <span>{none}</span>;
  const seconds = secondsBetween(at, now);
  return (
    <time datetime={at.toISOString()} title={moment(at)}>
      {seconds >= 0 ? `${span(seconds)} ago` : `in ${span(-seconds)}`}
    </time>
  );
}

/** `0`, `0.4`, `12`, `1,250`: a rate as exact as it is worth. */
export const rate = (perMinute: number): string =>
  perMinute === 0 || perMinute >= 10 ? count(perMinute) : String(Math.round(10 * perMinute) / 10);
