import { type VNode } from 'preact';
import {
  type AuditEntry,
  type OperationsStatus,
  type OpsAction,
  type OpsTarget,
  type DatabaseIssue,
} from '@donorlens/operations';
import { type SessionUser, withCsrf } from '../../access/sessions';
import { count } from '../layout/labels';

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** A duration with one or two units: `12 s`, `3 min`, `2 h 5 min`, `4 d`. */
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
  /** Text if the time is not known. */
  readonly none?: string;
}

/** Relative time with the absolute one as its title. */
export function Age({ at, now, none = 'never' }: AgeProps): VNode {
  if (at === null) return <span>{none}</span>;
  const seconds = secondsBetween(at, now);
  return (
    <time datetime={at.toISOString()} title={moment(at)}>
      {seconds >= 0 ? `${span(seconds)} ago` : `in ${span(-seconds)}`}
    </time>
  );
}

/** `0`, `0.4`, `12`, `1,250`. */
export const rate = (perMinute: number): string =>
  perMinute === 0 || perMinute >= 10 ? count(perMinute) : String(Math.round(10 * perMinute) / 10);

/** Input of every section. */
export interface OpsView {
  readonly status: OperationsStatus;
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  readonly issue: DatabaseIssue | null;
  readonly now: Date;
  readonly user: SessionUser | null;
  /** Operator requests are not possible while the database is away. */
  readonly isOff: boolean;
}

interface RequestButtonProps {
  readonly action: OpsAction;
  readonly target: OpsTarget;
  /** Null without a session: a form cannot send a key in a header. */
  readonly user: SessionUser | null;
  readonly isOff: boolean;
  readonly label: string;
  /** Object of the action, for screen readers. */
  readonly about: string;
}

/** Form with one button for an operator request. */
export function RequestButton({ action, target, user, isOff, label, about }: RequestButtonProps): VNode | null {
  if (user === null) return null;
  const query = new URLSearchParams({ action, ...target }).toString();
  return (
    <form class="ask-ops" method="post" action={withCsrf(`/ops/ask?${query}`, user)}>
      <button type="submit" id={`${action}-${Object.values(target).join('-')}`} disabled={isOff}>
        {label}
        <span class="hidden"> {about}</span>
      </button>
    </form>
  );
}
