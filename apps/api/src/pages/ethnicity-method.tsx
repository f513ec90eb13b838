import { type Release } from '@donorlens/reference-data';
import { type VNode } from 'preact';
import { ReleaseLine } from './release-line';

export const EthnicityMethod = ({ release }: { readonly release: Release }): VNode => (
  <footer class="method">
    <h2>How this is estimated</h2>
    <p>
      In the censuses of 2000 and 2010 people said for themselves which race they are and whether they are Hispanic. For
      every surname that at least 100 people had, the Census Bureau published which share of them is in each of six
      groups: Hispanics of any race, and of all others those of one race, or of two or more. The ethnicity is the group
      with the largest published share; of equal ones the first in the order of the table.
    </p>
    <h2>What it cannot say</h2>
    <p>
      Anything certain about one person. These are shares of everybody with the surname in the whole country: neither
      first name nor place is looked at, though both may say more, and donors are not like everybody. Names taken at a
      marriage count like those given at birth, and six groups are fewer than people would name. It is meant for sums
      over many donors; never decide about a person by it: <a href="/guide/method#ethnicity">the method</a>.
    </p>
    <p>
      <ReleaseLine release={release} />. How many people have a surname is not kept beyond that: 100 or more.
    </p>
  </footer>
);
