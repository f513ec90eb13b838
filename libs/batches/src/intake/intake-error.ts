import { DomainError } from '@donorlens/primitives';

/** Why an input cannot become a batch. The value is the status HTTP gives it. */
export const INTAKE_ERRORS = {
  empty_input: 400,
  no_rows: 400,
  not_text: 400,
  unclosed_quote: 400,
  record_too_long: 400,
  too_many_columns: 400,
  duplicate_column: 400,
  unknown_field: 400,
  unknown_column: 400,
  unmapped_columns: 400,
  truncated_gzip: 400,
  bad_gzip: 400,
  bad_workbook: 400,
  bad_header: 400,
  bad_cell: 400,
  unknown_sheet: 400,
  bad_json: 400,
  bad_form: 400,
  aborted: 400,
  too_slow: 408,
  too_large: 413,
  too_many_rows: 413,
  gzip_bomb: 413,
  zip_bomb: 413,
  idempotency_mismatch: 422,
  idempotency_in_flight: 409,
  quota_exceeded: 429,
  busy: 503,
  release_gone: 503,
} as const;
export type IntakeErrorCode = keyof typeof INTAKE_ERRORS;

/** The batch is not accepted, and no part of it is stored. `values.line` is the line number, if there is one. */
export class IntakeError extends DomainError {
  constructor(
    readonly code: IntakeErrorCode,
    message: string,
    values: Readonly<Record<string, string | number | boolean | null>> = {},
  ) {
    super(message, values);
  }

  get status(): number {
    return INTAKE_ERRORS[this.code];
  }
}
