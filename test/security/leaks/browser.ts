/** Responses to one client. */
export interface Seen {
  readonly asked: string;
  readonly status: number;
  /** Where the answer leads. */
  readonly location: string;
  readonly body: string;
}

/** A client with all its responses. */
export class Client {
  readonly seen: Seen[] = [];

  constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  async ask(path: string, init: RequestInit = {}): Promise<Seen> {
    const answer = await fetch(this.url + path, {
      redirect: 'manual',
      signal: AbortSignal.timeout(120_000),
      ...init,
      headers: { ...this.headers, ...(init.headers as Record<string, string> | undefined) },
    });
    const seen = {
      asked: `${init.method ?? 'GET'} ${path.split('?', 1)[0]}`,
      status: answer.status,
      location: answer.headers.get('location') ?? '',
      body: await answer.text(),
    };
    this.seen.push(seen);
    return seen;
  }

  post(path: string, type: string, body: string, more: Readonly<Record<string, string>> = {}): Promise<Seen> {
    return this.ask(path, { method: 'POST', headers: { 'content-type': type, ...more }, body });
  }
}
