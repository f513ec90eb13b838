import { FIRST_YEAR, LAST_YEAR } from '@donorlens/primitives';
import { type VNode } from 'preact';

interface AskSurnameProps {
  readonly surname?: string;
  readonly year?: number;
  /** The reader's key, where it came in the URL. */
  readonly apiKey?: string;
}

/** A plain GET form: works without any script. */
export const AskSurname = ({ surname, year, apiKey }: AskSurnameProps): VNode => (
  <form class="ask brief" method="get" action="/enrich/v1/ethnicity/ask">
    <label>
      Surname
      <input name="surname" value={surname} maxLength={200} required autocomplete="off" />
    </label>
    <label>
      Year
      <input name="year" type="number" value={year} min={FIRST_YEAR} max={LAST_YEAR} required />
    </label>
    {apiKey !== undefined && <input type="hidden" name="apiKey" value={apiKey} />}
    <button type="submit">Ask</button>
  </form>
);
