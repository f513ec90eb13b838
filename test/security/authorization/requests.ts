import { type Door, type Guest, addressOf, isExpected } from './doors';

/** An answer, without what differs from one to the next: when it was given, and to which request. */
export interface Answer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

export interface Misfit {
  readonly guest: string;
  readonly door: string;
  readonly expected: string;
  readonly status: number;
}

export async function asked(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(20_000), ...init });
  const streams = response.headers.get('content-type')?.startsWith('text/event-stream');
  const body = streams ? '' : await response.text();
  if (streams) await response.body?.cancel();
  const headers = [...response.headers].filter(([name]) => !['date', 'x-request-id', 'set-cookie'].includes(name));
  return { status: response.status, headers: JSON.stringify(headers), body: body.replace(/"instance":"[^"]*",?/, '') };
}

export interface RouteCheck {
  readonly doors: number;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly misfits: readonly Misfit[];
  /** The answers of status 401, each once. */
  readonly refusals: ReadonlySet<string>;
}

/** One caller at every route. @param batchId - of no batch, so that nothing changes */
export async function goRound(url: string, doors: readonly Door[], guest: Guest, batchId: string): Promise<RouteCheck> {
  const verdicts: Record<string, number> = {};
  const misfits: Misfit[] = [];
  const refusals = new Set<string>();
  for (const door of doors) {
    const expected = guest.expected(door);
    const query = new URLSearchParams(guest.query).toString();
    const answer = await asked(`${url}${addressOf(door, batchId)}${query && `?${query}`}`, {
      method: door.method,
      headers: guest.headers,
    });
    verdicts[expected] = (verdicts[expected] ?? 0) + 1;
    if (!isExpected(expected, answer.status))
      misfits.push({
        guest: guest.name,
        door: `${door.method} ${door.template}`,
        expected: String(expected),
        status: answer.status,
      });
    if (answer.status === 401 && door.method !== 'HEAD') refusals.add(answer.body);
  }
  return { doors: doors.length, verdicts, misfits, refusals };
}
