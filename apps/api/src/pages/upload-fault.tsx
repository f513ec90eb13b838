import { type VNode } from 'preact';
import { missingColumn } from '../batches/preview-warnings';
import { Problem } from '../http/problem';
import { sentence } from './batch-words';

const OTHER_PARTS = 'Split the file, and send the parts one after the other.';
const AGAIN = 'Send the file again.';
const PREVIEW = 'Preview the file: the page then shows its columns, and you say what they hold.';

/** What somebody with a file can do, by the reason for which it was refused. */
const ADVICE: Readonly<Record<string, string>> = {
  empty_input: 'Choose a file that has a header line and at least one row.',
  no_rows: 'Choose a file with rows below its header line.',
  not_text:
    'Open it in the program that made it, save it as CSV (spreadsheets call it “CSV UTF-8”), and choose that file.',
  utf16: 'Open it in the program that made it, save it as “CSV UTF-8”, and choose that file.',
  unclosed_quote: 'Close that quote, or write it twice where it belongs to the text.',
  record_too_long: 'Look for a quote that is opened before and never closed.',
  too_many_columns: 'Leave out columns that are not needed.',
  duplicate_column: 'Give the columns that are read a name of their own in the header line.',
  unknown_column: `The columns chosen are those of another file. ${PREVIEW}`,
  unmapped_columns: PREVIEW,
  truncated_gzip: 'Pack it anew, or send it unpacked.',
  bad_gzip: 'Pack it anew, or send it unpacked.',
  bad_form: AGAIN,
  aborted: AGAIN,
  too_slow: AGAIN,
  too_large: OTHER_PARTS,
  too_many_rows: OTHER_PARTS,
  gzip_bomb: 'Send it unpacked.',
  idempotency_mismatch:
    'This form was sent before, with another file or other choices. It is a new one now: send it again.',
  idempotency_in_flight: AGAIN,
  quota_exceeded: 'The day ends at midnight, UTC.',
  busy: 'Much is arriving just now. Try again in a minute.',
};

/** The same problem in words of somebody with a file, and with what to do. */
export function advised(problem: Problem): Problem {
  const { members = {} } = problem.parts;
  const advice = ADVICE[String(members.reason)];
  const parts = advice === undefined ? problem.parts : { ...problem.parts, members: { ...members, advice } };
  return new Problem(problem.code, detailOf(problem), parts);
}

/** Programs name parameters; people choose columns. */
function detailOf({ detail, parts: { members = {} } }: Problem): string {
  if (members.reason === 'unmapped_columns') return missingColumn(String(members.needs).split(' '));
  return sentence(detail.replace(/^the input\b/, 'the file'));
}

/** Why a file was refused, above the form that is still filled in. */
export const UploadFault = ({ problem: { detail, parts, title } }: { readonly problem: Problem }): VNode => (
  <div class="notice" id="fault" role="alert" tabIndex={-1}>
    <p>
      <strong>{title}.</strong> {detail} {typeof parts.members?.advice === 'string' && parts.members.advice}
    </p>
    {parts.faults && (
      <ul class="faults">
        {parts.faults.map((fault) => (
          <li>
            <code>{fault.pointer.replace(/^\/\w+\//, '')}</code> {fault.detail}
          </li>
        ))}
      </ul>
    )}
  </div>
);
