import { type ComponentChildren } from 'preact';
import { type Problem, type ProblemCode } from '../http/problem';
import { duration } from './words';

/** Seconds after which asking again makes sense, where the problem says so. */
export function retryAfter({ parts }: Problem): number | undefined {
  const seconds = Number(parts.headers?.['retry-after']);
  return seconds > 0 ? seconds : undefined;
}

/** What a person can do about a problem, beside going back. Codes that only programs meet have none. */
const STEPS: Partial<Record<ProblemCode, ComponentChildren>> = {
  'invalid-request': 'Correct what is named here, and send it again.',
  'malformed-body': 'Go back, correct what is named here, and send it again.',
  'unreadable-batch': (
    <>
      Save the file as CSV with one line of column names, and <a href="/upload">look at it before it starts</a>: the
      preview shows what is read of it.
    </>
  ),
  'ambiguous-key': 'Take the key out of the address; entered once on a page of this service, it is not needed there.',
  'stale-form': 'Go back, load the page again and send the form from there.',
  'missing-scope': (
    <>
      Enter a key that opens it, or ask whoever runs this service: <code>bin/donorlens keys issue --scopes</code> names
      the doors of a new key.
    </>
  ),
  'method-not-allowed': 'It is where a form leads: begin with the page that has the form.',
  'request-timeout': 'Send it again; over a slow line, pack the file first: gzip is read as it is.',
  'batch-not-finished': 'Go back to the page of the batch: it shows how far it is, and leads to the rows done so far.',
  'wrong-state': 'Go back and load the page of the batch again: it has moved on since.',
  expired: (
    <>
      Its rows cannot be had back. <a href="/upload">Upload the file again</a>, and keep the results this time.
    </>
  ),
  'body-too-large': (
    <>
      <a href="/upload">Upload it as a file</a>: those may have any size.
    </>
  ),
  'unsupported-media-type': 'Save the file as CSV, NDJSON or JSON, gzipped or not, and send it again.',
  'url-too-long': 'Ask with less in the address, or send the question in a body.',
  'quota-exceeded': 'Rows of a day count until midnight, UTC. Ask whoever runs this service for a higher quota.',
  internal: 'Try again. If it happens again, tell whoever runs this service the request below: it is in the log.',
};

export function nextStep(problem: Problem): ComponentChildren {
  const seconds = retryAfter(problem);
  if (problem.code === 'unavailable')
    return `Nothing has to be done: this page looks again by itself${seconds ? ` in ${duration(seconds)}` : ''}.`;
  const wait = seconds === undefined ? undefined : `Come back in ${duration(seconds)}.`;
  const step = STEPS[problem.code];
  return wait && step ? (
    <>
      {wait} {step}
    </>
  ) : (
    (wait ?? step)
  );
}
