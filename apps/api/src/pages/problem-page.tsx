import { type Problem } from '../http/problem';
import { KeyPrompt, type KeyPromptProps } from './key-prompt';
import { Layout, renderPage } from './layout';

/** A problem for a person in a browser: what happened, what is wrong where, and what to name when asking for help. */
export const problemPage = (problem: Problem, requestId: string, prompt?: KeyPromptProps): string =>
  renderPage(
    <Layout title={problem.title}>
      <p class="eyebrow">Error {problem.status}</p>
      <h1>{problem.title}</h1>
      <p class="lede">{problem.detail}</p>
      {problem.parts.faults && (
        <ul class="faults">
          {problem.parts.faults.map(({ pointer, detail }) => (
            <li>
              <code>{pointer}</code> {detail}
            </li>
          ))}
        </ul>
      )}
      {prompt && <KeyPrompt {...prompt} />}
      <p>
        <a href="/">Start page</a>
      </p>
      {problem.status >= 500 && <p class="quiet">Request {requestId}</p>}
    </Layout>,
  );
