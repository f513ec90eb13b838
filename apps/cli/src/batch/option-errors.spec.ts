import { exitCodeOf } from '../exit-code';
import { asOptionError } from './option-errors';
import { HttpFault } from './service-client';

const UNMAPPED =
  '400: The batch cannot be read: a batch of ethnicity needs a column for surname or contributor_name; ' +
  'name it with map.surname=<column> or map.contributor_name=<column>';
const refused = (message: string, reason: string | null): HttpFault => new HttpFault(400, message, null, reason);
const FILE = { path: 'in.csv', header: 'Donor First,Donor Last' };
const told = (error: unknown, header: string | null = FILE.header): string =>
  (asOptionError(error, { ...FILE, header }) as Error).message;

describe('the error for a file whose columns are rejected', () => {
  it('names the option and the columns of the file', () => {
    const error = refused(UNMAPPED, 'unmapped_columns');
    expect(told(error)).toBe(
      'in.csv: a batch of ethnicity needs a column for surname or contributor_name; ' +
        'name it with --map surname="Column" or --map contributor_name="Column"; its columns: "Donor First", "Donor Last"',
    );
    expect(exitCodeOf(asOptionError(error, FILE))).toBe(2);
    expect(told(error, null)).not.toContain('its columns');
    expect(told(refused('400: x: map.date names a column that is not in the header', 'unknown_column'))).toContain(
      'in.csv: --map date names a column',
    );
  });

  it('shortens long headers and removes control characters', () => {
    const error = refused(UNMAPPED, 'unmapped_columns');
    expect(told(error, '\ufeffA\u001b[2J,B')).toMatch(/its columns: "A \[2J", B$/);
    expect(told(error, 'x,'.repeat(5_000)).length).toBeLessThan(700);
  });

  it('quotes columns for the shell if needed, with any delimiter', () => {
    const error = refused(UNMAPPED, 'unmapped_columns');
    expect(told(error, 'Given\tGave, on\tZIP')).toMatch(/its columns: Given, "Gave, on", ZIP$/);
    expect(told(error, '"Given, first",B')).toMatch(/its columns: "Given, first",B$/);
  });

  it('names the option and the reason if the webhook URL is rejected', () => {
    const error = refused('400: The request is not valid: /header/Webhook-Url must begin with https://.', null);
    expect(told(error)).toBe('--webhook-url must begin with https://');
    expect(exitCodeOf(asOptionError(error, FILE))).toBe(2);
  });

  it('leaves other errors unchanged', () => {
    const other = refused('400: The batch cannot be read: the input is empty', 'empty_input');
    expect(asOptionError(other, FILE)).toBe(other);
    const none = new Error('map.date=<column>');
    expect(asOptionError(none, FILE)).toBe(none);
  });
});
