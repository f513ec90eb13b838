import { type VNode } from 'preact';
import { type AboutFacts } from '../../charts/about-facts';

/** The counting rules; docs/data-dictionary.md lists them by code. */
export const AboutRules = (): VNode => (
  <section id="rules">
    <h2>Counting rules</h2>
    <ul>
      <li>
        <strong>Committees.</strong> The charts include committees that the FEC links to a candidate as principal,
        authorized or joint fundraising committee. Money counts at principal and authorized committees, donors count at
        all three.
      </li>
      <li>
        <strong>Donors.</strong> A donor is an individual or the candidate, with a name and a valid date. Two
        contributions belong to one donor if first name, surname and the first five digits of the ZIP code agree.
        Organizations and committees are not donors.
      </li>
      <li>
        <strong>Start date.</strong> A donor counts from the day of the first counted contribution in the cycle. Age,
        state and income are those of that contribution.
      </li>
      <li>
        <strong>Memo items</strong> are informational and never count as money. One exception applies to donors: the FEC
        lists contributions to a joint fundraising committee only as memo items of its transfers, so their donors count.
      </li>
      <li>
        <strong>Refunds and negative amounts</strong> reduce the money and add no donor. Amounts of zero do neither.
      </li>
      <li>
        <strong>Earmarked contributions</strong> pass through a conduit, and both sides report them. The row of the
        committee counts. The row of the conduit counts only if no row of the committee has the same donor and amount
        within ten days; each row matches one.
      </li>
      <li>
        <strong>Corrections.</strong> An amendment replaces the filing that it amends. A processed row replaces the
        electronic one.
      </li>
      <li>
        <strong>Cycle.</strong> The date of the contribution determines its cycle. Without a valid date, the file does.
      </li>
    </ul>
    <p class="quiet">
      The column <code>COUNT_REASON</code> of <code>contributions/search</code> names the rule that applied to the row.
    </p>
  </section>
);

interface AboutLimitsProps {
  readonly geocoder: AboutFacts['geocoder'];
}

/** Legal restrictions, and limits of the figures. */
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
        <li>
          The charts show presidential candidates, unless you select another office with <code>office=S</code> or{' '}
          <code>office=H</code>.
        </li>
        <li>
          Contributions under $200 are included if a committee or a conduit itemizes them. The rest is one sum in the
          report of the committee and has no donors.
        </li>
        <li>
          Only electronic filings have street addresses, and only those are geocoded, by the Census Geocoder. Rows of
          the bulk files have no tract or block; their <code>GEOCODE_STATUS</code> is <code>SKIPPED</code>. If the data
          release has the file of ZIP codes, their county is the one where most people of the ZIP code live, and their
          income is that county’s. Donors without a county are in the row of <code>by=income</code> with an empty{' '}
          <code>VALUE</code>.
        </li>
        <li>
          Post office boxes, military addresses and addresses abroad are not geocoded (<code>SKIPPED</code>). An
          ambiguous address is a <code>TIE</code> and has no tract or block. It has a county if all candidates are in
          one. <code>PENDING</code> is not geocoded yet; it never means that there is no match.
        </li>
        <li>
          Counties, tracts and blocks have the boundaries of the vintage <code>{geocoder.vintage}</code>, whenever the
          contribution was made. Streets are those of the benchmark <code>{geocoder.benchmark}</code>. The address is
          the one in the report, also for donors who moved later.
        </li>
        <li>
          A date before 1975, when the 1976 cycle begins, or more than one cycle after the cycle of its file is treated
          as invalid.
        </li>
        <li>
          Age, gender and ethnicity are estimated from names. Estimates are accurate for groups and often wrong for one
          person. Donors are older than other people with their names: <code>basis=adult</code> leaves out children.
        </li>
        <li>
          Donors who move, marry or spell their names in two ways count as two donors. Two people with the same name and
          ZIP code count as one.
        </li>
        <li>Household income is the 2018 median of the county, not the donor&rsquo;s income.</li>
      </ul>
    </section>
  </>
);
