/** An answer that a client received. */
export interface ReceivedAnswer {
  readonly asked: string;
  readonly status: number;
  /** The Location header. */
  readonly location: string;
  readonly body: string;
}

/** A client that records all answers. */
export class RecordingClient {
  readonly seen: ReceivedAnswer[] = [];

  constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  async send(path: string, init: RequestInit = {}): Promise<ReceivedAnswer> {
    const answer = await fetch(this.url + path, {
      redirect: 'manual',
      signal: AbortSignal.timeout(120_000),
      ...init,
      headers: { ...this.headers, ...(init.headers as Record<string, string> | undefined) },
    });
    const answers = {
      asked: `${init.method ?? 'GET'} ${path.split('?', 1)[0]}`,
      status: answer.status,
      location: answer.headers.get('location') ?? '',
      body: await answer.text(),
    };
    this.seen.push(answers);
    return answers;
  }

  post(path: string, type: string, body: string, more: Readonly<Record<string, string>> = {}): Promise<ReceivedAnswer> {
    return this.send(path, { method: 'POST', headers: { 'content-type': type, ...more }, body });
  }
}
