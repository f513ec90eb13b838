import { DomainError } from '@donorlens/primitives';

export class KeyError extends DomainError {
  constructor(
    readonly code: 'unknown-key' | 'unknown-scope' | 'revoked-key' | 'bad-limit',
    message: string,
  ) {
    super(message);
  }
}
