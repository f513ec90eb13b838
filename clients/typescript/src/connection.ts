import createClient, { type Client } from 'openapi-fetch';
import { DonorlensProblem } from './problem';
import { withRetries } from './retry';
import { type paths } from './schema';
import { asUnreachable } from './unreachable';

export interface DonorlensOptions {
  /** Base URL of the service, e.g. `https://donorlens.example.org`. */
  readonly baseUrl: string;
  readonly key: string;
  /** Maximum retries of a request refused with `Retry-After` (429, 503); 3 by default. */
  readonly retries?: number;
  readonly fetch?: typeof globalThis.fetch;
}

/** Typed operations of the service, and a function that sends one request without retries. */
export interface Connection {
  readonly client: Client<paths>;
  readonly retries: number;
  /** Sends a request once, streaming its body. @throws DonorlensProblem, DonorlensUnreachable */
  readonly send: (request: Request) => Promise<Response>;
}

export function connect({ baseUrl, key, retries = 3, fetch = globalThis.fetch }: DonorlensOptions): Connection {
  const send = async (request: Request): Promise<Response> => {
    const response = await fetch(request).catch((error: unknown) => {
      throw asUnreachable(error, request);
    });
    if (response.status >= 400) throw await DonorlensProblem.of(response);
    return response;
  };
  const client = createClient<paths>({
    baseUrl,
    headers: { authorization: `Bearer ${key}` },
    fetch: (request) => withRetries(() => send(request.clone()), retries, request.signal),
  });
  return { client, retries, send };
}

/** Data of a successful operation; errors were thrown before. */
export async function answerOf<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer;
  if (data === undefined) throw new Error('The service returned an empty response.');
  return data;
}
