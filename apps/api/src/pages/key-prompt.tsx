import { type VNode } from 'preact';

export interface KeyPromptProps {
  /** Where to go on afterwards: a path of ours. */
  readonly next: string;
  /** True where a key was just entered that opens nothing. */
  readonly wrong?: boolean;
}

/** Asks for a key once; a session takes its place. */
export const KeyPrompt = ({ next, wrong = false }: KeyPromptProps): VNode => (
  <form class="key" method="post" action="/session">
    <label>
      Key
      <input
        name="key"
        type="password"
        required
        autocomplete="off"
        aria-describedby={wrong ? 'wrong-key' : undefined}
      />
    </label>
    <input type="hidden" name="next" value={next} />
    <button type="submit">Go on</button>
    {wrong && (
      <p id="wrong-key" class="notice" role="alert">
        This key opens nothing here: look whether it was copied as a whole, and whether it was revoked or has expired.
      </p>
    )}
  </form>
);
