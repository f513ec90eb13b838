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
    const guarded = withNetworkErrors(response, request);
    if (guarded.status >= 400) throw await DonorlensProblem.of(guarded);
    return guarded;
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
    Object.defineProperty(response, 'body', { get: () => (stream ??= streamWithErrors(body, rethrow)) });
  return response;
}

/** A stream of the same bytes. It locks the body when it is read, not before. */
function streamWithErrors(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  rethrow: (error: unknown) => never,
): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;
  const reading = () => (reader ??= body.getReader());
  return new ReadableStream({
    type: 'bytes',
    pull: async (controller) => {
      const part = await reading().read().catch(rethrow);
      if (!part.done) return controller.enqueue(part.value);
      controller.close();
      controller.byobRequest?.respond(0);
    },
    cancel: (reason) => reading().cancel(reason),
  });
}

/** Data of a successful operation; errors were thrown before. */
export async function answerOf<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer;
  if (data === undefined) throw new Error('The service returned an empty response.');
  return data;
}
