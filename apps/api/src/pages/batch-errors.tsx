import { type ErrorRow } from '@donorlens/batches';
import { type ItemErrorCode } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { sentence } from './batch-words';
import { count } from './words';

const OURS = 'Send the row again; if it fails again, tell whoever runs the service.';

const ADVICE: Readonly<Record<ItemErrorCode, string>> = {
  bad_date: 'Write it as 2016-10-31.',
  bad_fips: 'Write all five digits, or leave the cell empty.',
  bad_id: 'Shorten it, and send it as text.',
  bad_json: 'Write one object in braces on each line.',
  bad_type: 'Put names, dates and codes in quotes, as text.',
  bad_year: 'Write four digits.',
  missing_date: 'Fill it in, or ask for ethnicity by year.',
  missing_name: 'Fill in a first name, a surname or a full name.',
  missing_year: 'Fill in a year or a date.',
  nul_byte: 'Remove it, or save the file again as text.',
  ragged_row: 'Look for a quote that is not closed, or a separator inside of a text without quotes.',
  too_long: 'Look whether the right column is taken for the name.',
  internal: OURS,
  poison: OURS,
};

const adviceOf = (code: string): string => ADVICE[code as ItemErrorCode] ?? OURS;

const MOST_SOURCE = 160;
const shortened = (text: string): string => (text.length > MOST_SOURCE ? `${text.slice(0, MOST_SOURCE)}…` : text);

/** So many rows are enough to see what is wrong. */
export const SHOWN_ERRORS = 5;

interface ErrorsProps {
  readonly rows: readonly ErrorRow[];
  /** Of the whole batch, so far. */
  readonly all: number;
  readonly file: string;
}

/** The first rows without an answer, why, and what to do; while the batch runs, scripts/live.js puts them in once there are some. */
export function BatchErrors({ rows, all, file }: ErrorsProps): VNode {
  if (all === 0) return <div data-unread={SHOWN_ERRORS} />;
  return (
    <section id="errors" data-unread={SHOWN_ERRORS}>
      <h2>Rows that could not be read</h2>
      <ul class="errors">
        {rows.map(({ row, code, message, source }) => (
          <li>
            <strong>Row {count(row)}</strong>: {sentence(message)} {adviceOf(code)}
            <code>{shortened(source)}</code>
          </li>
        ))}
      </ul>
      <p>
        <a href={file}>
          {all === 1 ? (
            'This row'
          ) : (
            <>
              All <span data-all-unread>{count(all)}</span> of them
            </>
          )}{' '}
          as CSV: number, reason and the row as it came
        </a>
      </p>
    </section>
  );
}
