import { DomainError } from '@donorlens/primitives';

/** The database and this code do not belong together, or a migration could not be applied. */
export class SchemaError extends DomainError {
  constructor(
    readonly code:
      | 'server-too-old'
      | 'standby'
      | 'schema-newer'
      | 'schema-older'
      | 'schema-edited'
      | 'schema-locked'
      | 'migration-failed'
      | 'pooler',
    message: string,
    values: Readonly<Record<string, string | number>> = {},
  ) {
    super(message, values);
  }
}
