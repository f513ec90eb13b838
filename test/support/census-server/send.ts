import { type ServerResponse } from 'node:http';
import { type Answer, html, json } from './answer';
import { type RunningCall } from './call-log';
import { deliver, drip, huge, pause, resetMidway } from './delivery';
import { ENDINGS, type FaultName, type Faults, type Strike, hurts } from './faults';

/** The faults of one call. */
export class CallFaults {
  constructor(
    private readonly faults: Faults,
    private readonly call: RunningCall,
  ) {}

  /** Returns how the fault applies to this call, or null, and logs it. */
  strikes(name: FaultName): Strike | null {
    const strike = this.faults.strikes(name, this.call.kind);
    if (strike) {
      this.call.faults.push(name);
      this.call.isHurt ||= hurts(name);
    }
    return strike;
  }

  /** The fault that replaces the answer, or null. */
  ending(): { name: (typeof ENDINGS)[number]; strike: Strike } | null {
    const poison = this.faults.poisonIn(this.call.addresses);
    if (poison) {
      this.call.faults.push('poison');
      this.call.isHurt = true;
      return { name: poison, strike: {} };
    }
    for (const name of ENDINGS) {
      const strike = this.strikes(name);
      if (strike) return { name, strike };
    }
    return null;
  }
}

/** Sends the answer or what replaces it. Resolves when nothing is left to do; delivery may still continue. */
export async function send(
  response: ServerResponse,
  answer: () => Answer,
  faults: CallFaults,
  latencyMs: number,
): Promise<void> {
  const wait = faults.strikes('latency')?.ms ?? latencyMs;
  if (wait > 0 && !(await pause(response, wait))) return;
  const end = faults.ending();
  if (end) return endBadly(response, end.name, end.strike);
  const dripping = faults.strikes('drip');
  const isReset = faults.strikes('reset-midway') !== null;
  const made = answer();
  if (isReset) resetMidway(response, made);
  else if (dripping) await drip(response, made, dripping);
  else deliver(response, made);
}

async function endBadly(response: ServerResponse, name: (typeof ENDINGS)[number], strike: Strike): Promise<void> {
  if (name === 'hang') return;
  if (name === 'no-reply') response.socket?.destroy();
  else if (name === 'reset') response.socket?.resetAndDestroy();
  else if (name === 'huge') await huge(response, 'text/plain', strike);
  else deliver(response, instead(name, strike));
}

type Replaced = Exclude<(typeof ENDINGS)[number], 'hang' | 'no-reply' | 'reset' | 'huge'>;

function instead(name: Replaced, { retryAfter, to = 'http://127.0.0.1:1/geocoder' }: Strike): Answer {
  if (name === 'html') return html('The service is being maintained', 200);
  if (name === 'json-error') return json({ errors: ['The service could not be reached'], status: '500' });
  const said = html(`HTTP ${name}`, name === 'redirect' ? 302 : Number(name));
  if (name === 'redirect') return { ...said, headers: { ...said.headers, location: to } };
  if (retryAfter === undefined) return said;
  const when = retryAfter instanceof Date ? retryAfter.toUTCString() : String(retryAfter);
  return { ...said, headers: { ...said.headers, 'retry-after': when } };
}
