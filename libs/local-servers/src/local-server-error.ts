import { DomainError } from '@donorlens/primitives';

export type LocalServerFault =
  | 'no-binaries'
  | 'cannot-run-as-root'
  | 'half-initialised'
  | 'other-version'
  | 'other-owner'
  | 'already-running'
  | 'port-in-use'
  | 'start-failed';

/** A server of our own could not be started; the message is one line that an operator can act on. */
export class LocalServerError extends DomainError {
  constructor(
    readonly code: LocalServerFault,
    message: string,
  ) {
    super(message);
  }
}
