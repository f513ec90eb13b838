import { type Installation, KEY, until } from '../installation';
import { type Ended, insisted, ran } from './commands';

const AUTHORIZATION = { authorization: `Bearer ${KEY}` };
const SOON_MS = 120_000;

/** What operators look at, while the servers are as they should be; what does not tell right is named. */
export async function lookedAt({ apiUrls, environment }: Installation): Promise<readonly string[]> {
  const [url] = apiUrls;
  const answered = async (path: string): Promise<string> => {
    const answer = await fetch(url + path, { headers: AUTHORIZATION });
    return answer.ok ? answer.text() : '';
  };
  const [doctor, queues] = await Promise.all(
    ['doctor', 'queues'].map((command) => ran('cli', [command, '--json'], environment)),
  );
  const seen: Record<string, boolean> = {
    doctor: ['database', 'queue'].every((check) => isWell(doctor, check)),
    queues: queues.code === 0 && !queues.out.includes('"jobs": null'),
    metrics: /^donorlens_invariant_violations(?:\{[^}]*\})? 0$/m.test(await answered('/metrics')),
    '/ops': (await answered('/ops')).includes('enrich'),
    '/ops/queues': (await answered('/ops/queues/api/queues')).includes('"enrich"'),
  };
  return Object.keys(seen).filter((name) => !seen[name]);
}

function isWell({ out }: Ended, check: string): boolean {
  const findings = JSON.parse(out) as readonly { check: string; state: string }[];
  return findings.some((finding) => finding.check === check && finding.state !== 'fail');
}

/** By commands that ask the leader and wait until it has done it. */
export async function pausedAndResumed({ environment }: Installation): Promise<void> {
  for (const action of ['pause', 'resume']) await insisted(['queues', action, 'enrich'], environment);
}

/** A batch that is cancelled as soon as it is there. @returns its state at the end */
export async function cancelled(apiUrls: readonly string[], rows: number): Promise<string> {
  const lines = Array.from({ length: rows }, (_, row) => `x-${row},Mary,Smith,2016-01-15`);
  const ask = async (path: string, init: RequestInit): Promise<{ id: string; state: string }> => {
    for (let times = 0; ; times++) {
      const answer = await fetch(apiUrls[times % apiUrls.length] + path, init).catch(() => null);
      if (answer?.ok) return (await answer.json()) as { id: string; state: string };
      if (times > 1000) throw new Error(`${init.method ?? 'GET'} ${path} is not answered`);
      await new Promise((done) => setTimeout(done, 100));
    }
  };
  const { id } = await ask('/enrich/v1/batches?type=contributions', {
    method: 'POST',
    headers: { ...AUTHORIZATION, 'content-type': 'text/csv', 'idempotency-key': `cancelled-${rows}` },
    body: `row_id,first_name,last_name,date\n${lines.join('\n')}\n`,
  });
  await ask(`/enrich/v1/batches/${id}/cancel`, { method: 'POST', headers: AUTHORIZATION });
  const isFinal = (state: string): boolean => ['completed', 'failed', 'cancelled'].includes(state);
  return until(
    'the cancelled batch is final',
    async () => {
      const { state } = await ask(`/enrich/v1/batches/${id}`, { headers: AUTHORIZATION });
      return isFinal(state) && state;
    },
    SOON_MS,
  );
}
