import { type VNode } from 'preact';
import { FIRST_YEAR, LAST_YEAR } from '@donorlens/primitives';
import { type SessionUser } from '../../access/sessions';

interface NameFormProps {
  readonly name?: string;
  readonly date?: string;
  readonly minAge?: number;
  /** API key of the URL, if it has one. */
  readonly apiKey?: string;
}

/** Look-up of a first name. */
export const NameForm = ({ name, date, minAge, apiKey }: NameFormProps): VNode => (
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
      Minimum age
      <input name="min_age" type="number" min="0" max="100" value={minAge ? String(minAge) : ''} placeholder="any" />
    </label>
    {apiKey !== undefined && <input type="hidden" name="apiKey" value={apiKey} />}
    <button type="submit">Look up</button>
  </form>
);

interface SurnameFormProps {
  readonly surname?: string;
  readonly year?: number;
  /** API key of the URL, if it has one. */
  readonly apiKey?: string;
}

/** Look-up of a surname. */
export const SurnameForm = ({ surname, year, apiKey }: SurnameFormProps): VNode => (
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
    <button type="submit">Look up</button>
  </form>
);

interface SearchFormProps {
  readonly text?: string;
}

/** Search for candidates, committees and names; the script `search` adds suggestions while typing. */
export const SearchForm = ({ text }: SearchFormProps): VNode => (
  <form class="search" role="search" method="get" action="/search" data-suggest="/search/suggestions">
    <label>
      Candidate, committee or name
      <input type="search" name="q" value={text} maxLength={200} required autocomplete="off" />
    </label>
    <button type="submit">Search</button>
  </form>
);

export interface SimilarNamesProps {
  readonly name: string;
  readonly user: SessionUser | null;
}

/** Link to the search for similar names, which needs the scope charts:read. */
export const SimilarNames = ({ name, user }: SimilarNamesProps): VNode | null =>
  user?.scopes.has('charts:read') ? (
    <>
      {' '}
      <a href={`/search?q=${encodeURIComponent(name)}`}>Search for similar names</a>
    </>
  ) : null;
