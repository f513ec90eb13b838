import { setTimeout as sleep } from 'node:timers/promises';
import { type AuditEntry, type OpsAction, type OpsRequests, type OpsTarget } from '@donorlens/operations';
import { CliError, EXIT, type ExitCode } from '../exit-code';
import { type Context } from '../program-context';
import { auditText, queuesText, statusText, wordsOf } from './ops-text';
import { withReader, withRequests } from './with-operations';

/** Who asks, in the audit: whoever can reach the database is an operator. */
const ACTOR = 'operator';
/** The leader looks once a second. */
const LOOK_MS = 200;
const PROMPT_MS = 10_000;
/** Requests that may have come after ours while it is waited for. */
const RECENT = 100;

export interface JsonOption {
  readonly json?: boolean;
}
export interface ListOptions extends JsonOption {
  readonly limit: number;
}
export interface WaitOptions extends JsonOption {
  /** Until it is done, however long that takes. */
  readonly wait?: boolean;
}

export const queues = (context: Context, { json }: JsonOption): Promise<ExitCode> =>
  withReader(async (reader) => {
    const { queues: all, at } = await reader.status();
    context.out(json ? JSON.stringify(all, null, 2) : queuesText(all, at));
    return EXIT.ok;
  });

export const status = (context: Context, { json }: JsonOption): Promise<ExitCode> =>
  withReader(async (reader) => {
    const now = await reader.status();
    context.out(json ? JSON.stringify(now, null, 2) : statusText(now));
    return EXIT.ok;
  });

/** The newest of what was changed, or only of what was asked for. */
export const audit = (context: Context, { limit, json }: ListOptions, onlyAsked: boolean): Promise<ExitCode> =>
  withRequests(async (requests) => {
    const entries = (await requests.recent(limit)).filter(({ action }) => !onlyAsked || action.startsWith('ops.'));
    context.out(json ? JSON.stringify(entries, null, 2) : auditText(entries));
    return EXIT.ok;
  });

/**
 * Asks the leader for something and waits for it: a moment for what takes a moment.
 * @returns 4 where it is not done yet, for want of a leader or because it takes longer
 */
export const ask = (
  context: Context,
  action: OpsAction,
  target: OpsTarget,
  { wait, json }: WaitOptions,
): Promise<ExitCode> =>
  withRequests(async (requests) => {
    const id = await requests.ask(action, target, ACTOR);
    const asked = await ended(requests, id, wait ? Infinity : PROMPT_MS);
    if (json)
      context.out(JSON.stringify({ request: id, state: asked?.state ?? 'asked', outcome: asked?.outcome ?? null }));
    else context.note(line(id, action, asked));
    if (asked?.state === 'failed') throw new CliError(`request ${id} failed: ${wordsOf(asked.outcome ?? {})}`);
    return asked?.state === 'done' ? EXIT.ok : EXIT.partial;
  });

async function ended(requests: OpsRequests, id: string, patienceMs: number): Promise<AuditEntry | undefined> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const entry = (await requests.recent(RECENT)).find(({ detail }) => String(detail.request) === id);
    if (entry?.state === 'done' || entry?.state === 'failed' || performance.now() >= until) return entry;
    await sleep(LOOK_MS);
  }
}

function line(id: string, action: OpsAction, asked: AuditEntry | undefined): string {
  const what = [action, wordsOf(asked?.outcome ?? {})].filter((text) => text !== '').join(': ');
  if (asked?.state === 'done') return `done, ${what}`;
  const why = asked?.state === 'running' ? 'the leader is at it' : 'the leader has not come to it yet';
  return `request ${id} is written down, ${why}; how far it is: bin/donorlens ops requests`;
}
