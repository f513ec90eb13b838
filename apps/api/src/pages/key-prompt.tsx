import { type VNode } from 'preact';

export interface KeyPromptProps {
  /** Where to go on afterwards: a path of ours. */
  readonly next: string;
  /** True where a key was just entered that opens nothing. */
  readonly wrong?: boolean;
}

/** Where a key is entered for no page in particular, and once more after a wrong one. */
export const SIGN_IN_PATH = '/sign-in';

/** Asks for a key once; a session takes its place, and no address holds the key. */
export const KeyPrompt = ({ next, wrong = false }: KeyPromptProps): VNode => (
  <form class="key" method="post" action="/session">
    <label>
      Your key
      <input
        name="key"
        type="password"
        required
        maxLength={200}
        autocomplete="off"
        aria-invalid={wrong}
        aria-describedby={wrong ? 'wrong-key about-key' : 'about-key'}
      />
    </label>
    <input type="hidden" name="next" value={next} />
    <button type="submit">Sign in</button>
    {wrong && (
      <p id="wrong-key" class="notice" role="alert">
        This key opens nothing here: look whether it was copied as a whole, and whether it was revoked or has expired.
      </p>
    )}
    <p id="about-key" class="quiet">
      <code>npm start</code> prints the first key, <code>bin/donorlens keys issue</code> makes more. This browser stays
      signed in for 12 hours.
    </p>
  </form>
);
