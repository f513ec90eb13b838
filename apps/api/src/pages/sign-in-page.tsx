import { type Visitor } from '../access/visitor';
import { KeyPrompt, type KeyPromptProps } from './key-prompt';
import { Layout, renderPage } from './layout';

/** Where a key is entered for no page in particular, or again. */
export const renderSignInPage = (prompt: KeyPromptProps, visitor: Visitor | null): string =>
  renderPage(
    <Layout title="Sign in" visitor={visitor}>
      <h1>Sign in</h1>
      <p class="lede">
        {visitor
          ? `You are signed in with the key “${visitor.keyName}”. Another key takes its place.`
          : 'Questions, batches and charts open with a key. The guide and the list of requests open without.'}
      </p>
      <KeyPrompt {...prompt} />
    </Layout>,
  );
