/** The answer before delivery faults. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A request that the service refuses, with the message of the service. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

export const json = (value: unknown, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(value)),
});

export const html = (title: string, status: number): Answer => ({
  status,
  headers: { 'content-type': 'text/html;charset=UTF-8' },
  body: Buffer.from(
    `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`,
  ),
});

/** The answer of the service to a refused request. */
export const refusal = ({ message, status }: Refused): Answer =>
  json({ errors: [message], status: String(status) }, status);
