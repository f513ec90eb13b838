import { type Release } from '@donorlens/reference-data';
import { type VNode } from 'preact';
import { ReleaseLine } from './release-line';

export const AgeMethod = ({ release }: { readonly release: Release }): VNode => (
  <footer class="method">
    <h2>How this is estimated</h2>
    <p>
      The national birth records count the children given each name, by sex and year, where there were at least five.
      Actuarial life tables tell which share of each year&rsquo;s children still live on the date asked, with a death
      rate that is smoothed by the day. The age is the median of those living; the gender is the sex more often given
      the name.
    </p>
    <h2>What it cannot say</h2>
    <p>
      Anything certain about one person: half of those who bear the name are outside the middle half, and a sex that is
      rare is not none. The records hold children born in the United States; who came later, chose another name or goes
      by a short form is not counted under the name asked. People who give to campaigns are older than most who bear
      their names: of 1,751 whose ages were known, the estimate was 8.4 years too low, and 3.9 with a{' '}
      <em>youngest age</em> of 18, which leaves children out. Nothing here corrects for the rest:{' '}
      <a href="/guide/method#age-and-gender">the method</a>.
    </p>
    <p>
      <ReleaseLine release={release} />, births of {release.firstDataYear} to {release.lastDataYear}.
    </p>
  </footer>
);
