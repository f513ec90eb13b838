import { type VNode } from 'preact';
import { type AboutFacts } from '../data-charts/about-facts';

interface AboutLimitsProps {
  readonly geocoder: AboutFacts['geocoder'];
}

/** What the law forbids, and what the figures cannot say. */
export const AboutLimits = ({ geocoder }: AboutLimitsProps): VNode => (
  <>
    <section id="use">
      <h2>Permitted use</h2>
      <p class="notice">
        Federal law (52 U.S.C. 30111(a)(4)) forbids selling or using information about individual contributors, taken
        from reports filed with the FEC, to solicit contributions or for any commercial purpose. News, research and
        teaching are not commercial purposes in this sense.
      </p>
    </section>
    <section id="limits">
      <h2>Known limits</h2>
      <ul>
        <li>Presidential candidates only.</li>
        <li>
          Gifts under 200 dollars are here where a committee lists them, or a conduit whose own electronic filings are
          loaded. The rest is one sum in the report of the committee and has no donors.
        </li>
        <li>
          Of the bulk files, the rows of conduits that are no presidential committees (<code>24T</code>,{' '}
          <code>24I</code>) are counted when a file is imported, and not kept: a gift that only its conduit lists comes
          in with the conduit&rsquo;s electronic filings.
        </li>
        <li>
          Only electronic filings have a street, and only their addresses are located, by the Census Geocoder. Rows of
          the bulk files have none: no county, tract, block or income, and <code>GEOCODE_STATUS</code> is{' '}
          <code>SKIPPED</code>. So <code>by=income</code> covers only donors with a located address; all others are its
          row of unknown value.
        </li>
        <li>
          Post office boxes, addresses abroad and those of the military are not asked for (<code>SKIPPED</code>). An
          address that fits several places is a <code>TIE</code> and has no tract or block; it has its county where all
          of the places are in one. <code>PENDING</code> is not located yet, and never means that there is no match.
        </li>
        <li>
          Counties, tracts and blocks have the boundaries of the vintage <code>{geocoder.vintage}</code>, whenever the
          contribution was made; streets are those of the benchmark <code>{geocoder.benchmark}</code>. Who has moved is
          where the report says.
        </li>
        <li>
          A date before 1975, where the cycle of 1976 begins, or more than one cycle after that of its file is a slip of
          the pen: no valid date.
        </li>
        <li>
          Age, gender and ethnicity are estimated from names. They are right for groups, and often wrong for one person.
          Donors are older than the bearers of their names: <code>basis=adult</code> leaves out children.
        </li>
        <li>
          Who moves, marries or spells a name in two ways is counted as two donors; two people of one name and ZIP as
          one.
        </li>
        <li>Household income is the county&rsquo;s median of 2018, not the donor&rsquo;s.</li>
      </ul>
    </section>
  </>
);
