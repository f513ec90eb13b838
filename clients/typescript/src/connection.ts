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
    return withNetworkErrors(response, request);
  };
  const client = createClient<paths>({
    baseUrl,
    headers: { authorization: `Bearer ${key}` },
    fetch: (request) => withRetries(() => send(request.clone()), retries, request.signal),
  });
  return { client, retries, send };
}

const READERS = ['arrayBuffer', 'blob', 'json', 'text'] as const;

/**
 * The response; reading it throws DonorlensUnreachable if the connection breaks before its end. It is changed in place,
 * because Chromium hides the errors of a stream from the reader of a new Response.
 */
function withNetworkErrors(response: Response, request: Request): Response {
  const rethrow = (error: unknown): never => {
    throw asUnreachable(error, request);
  };
  for (const name of READERS) {
    const read = response[name].bind(response) as () => Promise<unknown>;
    const value = (): Promise<unknown> => (response.bodyUsed ? read() : read().catch(rethrow));
    Object.defineProperty(response, name, { value });
  }
  const { body } = response;
  let stream: ReadableStream<Uint8Array> | undefined;
  if (body !== null)
    Object.defineProperty(response, 'body', { get: () => (stream ??= streamWithErrors(body.getReader(), rethrow)) });
  return response;
}

const streamWithErrors = (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  rethrow: (error: unknown) => never,
): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const part = await reader.read().catch(rethrow);
      if (part.done) controller.close();
      else controller.enqueue(part.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });

/** Data of a successful operation; errors were thrown before. */
export async function answerOf<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer;
  if (data === undefined) throw new Error('The service returned an empty response.');
  return data;
}
