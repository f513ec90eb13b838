import { type VNode } from 'preact';
import {
  type AuditEntry,
  type OperationsStatus,
  type OpsAction,
  type OpsTarget,
  type DatabaseIssue,
  formatUtcTime,
  secondsBetween,
  formatDuration,
} from '@donorlens/operations';
import { type SessionUser, withCsrf } from '../../access/sessions';
import { count } from '../layout/labels';

/** Reload interval without scripts; the script updates the page every 5 s. */
export const RELOAD_SECONDS = 15;

interface AgeProps {
  readonly at: Date | null;
  readonly now: Date;
  /** Text if the time is unknown. */
  readonly none?: string;
}

/** Relative time with the absolute one as its title. */
export function Age({ at, now, none = 'never' }: AgeProps): VNode {
  if (at === null) return <span>{none}</span>;
  const seconds = secondsBetween(at, now);
  return (
    <time datetime={at.toISOString()} title={formatUtcTime(at)}>
      {seconds >= 0 ? `${formatDuration(seconds)} ago` : `in ${formatDuration(-seconds)}`}
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
  /** True while the database is unavailable, when operator requests are not possible. */
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
