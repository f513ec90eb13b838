import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { seeded } from '../../seeded';
import { type Accepted, Client } from '../chaos/client';
import { type Count, countAtClient } from '../chaos/count';
import { KEY, until } from '../installation';
import { isProper } from './questions';

const ROWS = 2_000;
const PAUSE_MS = 500;
const GIVEN_UP_MS = 90_000;
const FINAL = ['completed', 'failed', 'cancelled'];

interface Sent {
  readonly tag: string;
  readonly key: string;
  readonly body: string;
}

/** Sends batches one after the other, each once, and keeps what became of them. */
export class Sending {
  readonly accepted: Accepted[] = [];
  /** Those without a 202: sent again with the same key when all is well. */
  private readonly open: Sent[] = [];
  readonly answers = new Map<string, number>();
  slowestMs = 0;
  illFormed = 0;
  private isSending = false;
  private end: Promise<void> = Promise.resolve();
  private count = 0;
  private readonly client: Client;

  constructor(
    private readonly urls: readonly string[],
    private readonly tag: string,
  ) {
    this.client = new Client(urls, seeded(1));
  }

  start(): void {
    this.isSending = true;
    this.end = this.again();
  }

  async stop(): Promise<void> {
    this.isSending = false;
    await this.end;
  }

  /** @returns the status of the answer, or the name of the error */
  async send(batch: Sent = this.next()): Promise<string> {
    const started = performance.now();
    const answer = await fetch(`${this.urls[this.count % this.urls.length]}/enrich/v1/batches?type=contributions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'text/csv', 'idempotency-key': batch.key },
      body: batch.body,
      signal: AbortSignal.timeout(GIVEN_UP_MS),
    }).catch((error: Error) => error);
    this.slowestMs = Math.max(this.slowestMs, performance.now() - started);
    if (answer instanceof Error) return this.noted(answer.name, batch);
    if (answer.status !== 202 && !isProper(answer)) this.illFormed++;
    const body = (await answer.json().catch(() => null)) as { id?: string } | null;
    if (answer.status === 202 && body?.id) this.accepted.push({ id: body.id, tag: batch.tag, rows: ROWS });
    return this.noted(String(answer.status), answer.status === 202 ? undefined : batch);
  }

  /** Those that were refused, again under the same key: each is one batch. */
  async resend(): Promise<void> {
    for (const batch of this.open.splice(0)) await this.send(batch);
  }

  /** Waits until everything accepted is final. @returns seconds */
  async settled(withinMs: number): Promise<number> {
    const started = performance.now();
    for (const { id } of this.accepted)
      await until(
        `batch ${id} is final`,
        async () => FINAL.includes((await this.client.batch(id)).state),
        Math.max(1, withinMs - (performance.now() - started)),
      );
    return (performance.now() - started) / 1000;
  }

  /** What of it is there, read back row by row. */
  counted(): Promise<Count> {
    return countAtClient(this.client, this.accepted);
  }

  get told(): string {
    const answers = [...this.answers].map(([answer, n]) => `${n} × ${answer}`).join(', ');
    return `${[...this.answers.values()].reduce((a, b) => a + b, 0)} batches sent: ${answers || 'none'}, slowest ${Math.round(this.slowestMs)} ms`;
  }

  private async again(): Promise<void> {
    while (this.isSending) {
      await this.send();
      await pause(PAUSE_MS);
    }
  }

  private next(): Sent {
    const tag = `${this.tag}${this.count++}`;
    return { tag, key: randomUUID(), body: csvOf(tag) };
  }

  private noted(answer: string, open?: Sent): string {
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
    if (open) this.open.push(open);
    return answer;
  }
}

function csvOf(tag: string): string {
  const lines = ['row_id,first_name,last_name,date'];
  for (let row = 1; row <= ROWS; row++) lines.push(`${tag}-${row},Mary,Garcia,${2004 + (row % 16)}-03-15`);
  return `${lines.join('\n')}\n`;
}

export const isWhole = ({ lost, duplicated, misplaced, wrongBatches }: Count): boolean =>
  lost + duplicated + misplaced + wrongBatches.length === 0;

export const toldCount = ({ lost, duplicated, misplaced, wrongBatches }: Count, accepted: number): string =>
  `of ${accepted} batches accepted ${wrongBatches.length} are not whole: ${lost} rows lost, ${duplicated} doubled, ${misplaced} out of place`;
