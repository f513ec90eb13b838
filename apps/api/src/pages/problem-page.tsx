import { type VNode } from 'preact';
import { type Visitor } from '../access/visitor';
import { type Problem } from '../http/problem';
import { ADULT, AskForm } from './ask-form';
import { AskSurname } from './ask-surname';
import { KeyPrompt, type KeyPromptProps } from './key-prompt';
import { Layout, renderPage } from './layout';
import { nextStep, retryAfter } from './next-step';

/** Seconds between two looks of a page that waits for the service, where nothing says how long. */
const LOOK_AGAIN = 5;

/** A problem for a person in a browser: what happened, what is wrong where, what to do next, and what to name when asking for help. */
export const problemPage = (
  problem: Problem,
  requestId: string,
  prompt?: KeyPromptProps,
  visitor: Visitor | null = null,
): string =>
  renderPage(
    <Layout
      title={problem.title}
      visitor={visitor}
      refreshSeconds={problem.code === 'unavailable' ? (retryAfter(problem) ?? LOOK_AGAIN) : undefined}
    >
      <p class="eyebrow">Error {problem.status}</p>
      <h1>{problem.title}</h1>
      <p class="lede">
        {problem.code === 'unauthorized' ? 'Enter it here, and you go on to what you asked for.' : problem.detail}
      </p>
      <Faults problem={problem} />
      <NextStep problem={problem} />
      <AskAgain problem={problem} />
      {prompt && <KeyPrompt {...prompt} />}
      <Ways isLost={problem.status === 404} />
      {problem.status >= 500 && (
        <p class="quiet">
          Request <code>{requestId}</code>
        </p>
      )}
    </Layout>,
  );

const Faults = ({ problem: { parts } }: { readonly problem: Problem }): VNode | null =>
  parts.faults ? (
    <ul class="faults">
      {parts.faults.map(({ pointer, detail }) => (
        <li>
          <Pointer of={pointer} /> {detail}
        </li>
      ))}
    </ul>
  ) : null;

/** The fields of our own forms, as they are named there. */
const FIELD_LABELS: Readonly<Record<string, string>> = {
  '/path/name': 'First name',
  '/path/date': 'Date',
  '/path/surname': 'Surname',
  '/path/year': 'Year',
  '/query/name': 'First name',
  '/query/date': 'Date',
  '/query/surname': 'Surname',
  '/query/year': 'Year',
  '/query/min_age': 'Youngest age',
};

const Pointer = ({ of }: { readonly of: string }): VNode =>
  Object.hasOwn(FIELD_LABELS, of) ? <strong>{FIELD_LABELS[of]}</strong> : <code>{of}</code>;

function NextStep({ problem }: { readonly problem: Problem }): VNode | null {
  const step = nextStep(problem);
  return step === undefined ? null : <p>{step}</p>;
}

/** The form again, where it was one of its fields. */
function AskAgain({ problem: { parts } }: { readonly problem: Problem }): VNode | null {
  const fields = (parts.faults ?? []).map(({ pointer }) => FIELD_LABELS[pointer]);
  if (fields.includes('Surname') || fields.includes('Year')) return <AskSurname />;
  return fields.some((field) => field !== undefined) ? <AskForm minAge={ADULT} /> : null;
}

/** Who is lost gets the whole map. */
const Ways = ({ isLost }: { readonly isLost: boolean }): VNode =>
  isLost ? (
    <>
      <p>Where you can go:</p>
      <ul>
        <li>
          <a href="/">Start page</a>: ask a first name or a surname
        </li>
        <li>
          <a href="/upload">Upload</a> a file, or look at <a href="/batches">your batches</a>; their rows are kept for a
          limited time
        </li>
        <li>
          <a href="/data-charts/v1/about">Data and charts</a> of presidential candidates
        </li>
        <li>
          <a href="/docs">API</a>: every address there is, to try out
        </li>
      </ul>
    </>
  ) : (
    <p>
      <a href="/">Start page</a>
    </p>
  );
