import { type VNode } from 'preact';

/** Who gives is of age; without it, estimates are too low by twice as much. */
export const ADULT = 18;

interface AskFormProps {
  readonly name?: string;
  readonly date?: string;
  readonly minAge?: number;
  /** The reader's key, where it came in the URL. */
  readonly apiKey?: string;
}

/** A plain GET form: works without any script. */
export const AskForm = ({ name, date, minAge, apiKey }: AskFormProps): VNode => (
  <form class="ask" method="get" action="/enrich/v1/age_gender/ask">
    <label>
      First name
      <input name="name" value={name} maxLength={200} required autocomplete="off" />
    </label>
    <label>
      Date
      <input name="date" type="date" value={date} min="1880-01-01" max="9999-12-31" required />
    </label>
    <label>
      Youngest age
      <input name="min_age" type="number" min="0" max="100" value={minAge ? String(minAge) : ''} placeholder="any" />
    </label>
    {apiKey !== undefined && <input type="hidden" name="apiKey" value={apiKey} />}
    <button type="submit">Ask</button>
  </form>
);
