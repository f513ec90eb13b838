import { type VNode } from 'preact';

/** The counting rules in plain words. docs/data-dictionary.md has them by their codes. */
export const AboutRules = (): VNode => (
  <section id="rules">
    <h2>How it is counted</h2>
    <ul>
      <li>
        <strong>Which committees.</strong> Those that the FEC links to a presidential candidate as principal, authorized
        or joint fundraising committee. Money counts at principal and authorized committees; donors at all three.
      </li>
      <li>
        <strong>Who is a donor.</strong> An individual or the candidate, with a name and a valid date. Two contributions
        are one donor&rsquo;s when first name, surname and the first five digits of the ZIP agree. Organisations and
        committees are no donors.
      </li>
      <li>
        <strong>When a donor begins.</strong> On the day of the first counted contribution in the cycle; age, state and
        income are as of that one.
      </li>
      <li>
        <strong>Memo items</strong> are shown for information and never count as money. One exception for donors: gifts
        to a joint fundraiser stand at the committee as memo items under its transfer, and nowhere else.
      </li>
      <li>
        <strong>Refunds and negative amounts</strong> lower the money and make no donor; amounts of zero do neither.
      </li>
      <li>
        <strong>Earmarked gifts</strong> pass through a conduit and are reported by both sides. The row of the committee
        counts; the conduit&rsquo;s copy counts only where no row of the committee matches it: same donor, same amount,
        at most ten days apart.
      </li>
      <li>
        <strong>Corrections.</strong> An amendment replaces the filing it amends; a processed row replaces the
        electronic one.
      </li>
      <li>
        <strong>Cycle.</strong> That of the contribution&rsquo;s date; without a valid date, that of its file.
      </li>
    </ul>
    <p class="quiet">
      Every row of <code>contributions/search</code> says in <code>COUNT_REASON</code> which rule decided.
    </p>
  </section>
);
