import { DomainError } from '@donorlens/primitives';

/** Why nobody answered. */
export type SendFaultCode =
  'url_refused' | 'unknown_host' | 'private_address' | 'unreachable' | 'bad_certificate' | 'timeout' | 'bad_answer';

/** A message had no answer. Neither the receiver's address nor its words are part of it. */
export class SendFault extends DomainError {
  constructor(readonly code: SendFaultCode) {
    super(`no answer: ${code}`);
  }
}

const OF_NODE: readonly (readonly [RegExp, SendFaultCode])[] = [
  [/TIMEOUT|TimeoutError/, 'timeout'],
  [/CERT|SIGNATURE|ISSUER|ALTNAME|SSL|TLS/, 'bad_certificate'],
  [/^HPE_|HEADERS_OVERFLOW|RES_|^UND_ERR_HEADERS/, 'bad_answer'],
];

/** What an error of the connection means. */
export function faultOf(error: unknown): SendFault {
  if (error instanceof SendFault) return error;
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  const text = typeof code === 'string' ? code : String(name);
  return new SendFault(OF_NODE.find(([pattern]) => pattern.test(text))?.[1] ?? 'unreachable');
}
