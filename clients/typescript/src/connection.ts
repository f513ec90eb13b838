import createClient, { type Client } from 'openapi-fetch';
import { patiently } from './patience';
import { DonorlensProblem } from './problem';
import { type paths } from './schema';
import { whyNoAnswer } from './unreachable';

export interface DonorlensOptions {
  /** Where the service is, e.g. `https://donorlens.example.org`. */
  readonly baseUrl: string;
  readonly key: string;
  /** How often a request is sent again that was asked to come back later (429, 503). 3 unless said; 0: never. */
  readonly retries?: number;
  readonly fetch?: typeof globalThis.fetch;
}

/** Every operation of the service by its path, and what is needed to send one without patience. */
export interface Connection {
  readonly client: Client<paths>;
  readonly retries: number;
  /** Sends a request once; its body is never held in memory. @throws DonorlensProblem, DonorlensUnreachable */
  readonly send: (request: Request) => Promise<Response>;
}

export function connect({ baseUrl, key, retries = 3, fetch = globalThis.fetch }: DonorlensOptions): Connection {
  const send = async (request: Request): Promise<Response> => {
    const response = await fetch(request).catch((error: unknown) => {
      throw whyNoAnswer(error, request);
    });
    if (response.status >= 400) throw await DonorlensProblem.of(response);
    return response;
  };
  const client = createClient<paths>({
    baseUrl,
    headers: { authorization: `Bearer ${key}` },
    fetch: (request) => patiently(() => send(request.clone()), retries, request.signal),
  });
  return { client, retries, send };
}

/** What an operation that succeeded has answered: faults are thrown before it comes here. */
export async function answerOf<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer;
  if (data === undefined) throw new Error('The service has answered with nothing.');
  return data;
}
