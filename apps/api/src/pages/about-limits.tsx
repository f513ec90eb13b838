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
          Gifts under 200 dollars are here where a committee lists them or a conduit reports them. The rest is one sum
          in the report of the committee and has no donors.
        </li>
        <li>The bulk files have no street, so county, tract and block are known only for electronic filings.</li>
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
