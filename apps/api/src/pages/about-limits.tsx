import { type VNode } from 'preact';

/** What the law forbids, and what the figures cannot say. */
export const AboutLimits = (): VNode => (
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
          Addresses are not geocoded yet, so county, tract, block and income are known for no contribution:{' '}
          <code>by=income</code> is one row of unknown value, <code>GEOCODE_STATUS</code> is <code>PENDING</code> where
          the row has a street, as in electronic filings, and <code>SKIPPED</code> where it has none, as in the bulk
          files.
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
        <li>Household income, once there is any, is the county&rsquo;s median of 2018, not the donor&rsquo;s.</li>
      </ul>
    </section>
  </>
);
