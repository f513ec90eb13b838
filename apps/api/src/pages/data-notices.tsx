import { type VNode } from 'preact';
import { type AboutFacts, hasSample } from '../data-charts/about-facts';

/** On every page whose figures rest on data that were made up. */
export function DataNotices({ facts }: { readonly facts: AboutFacts }): VNode | null {
  if (hasSample(facts))
    return (
      <p class="notice">
        <strong>Sample data.</strong> Candidates, committees and donors here are made up. No figure on this page or in
        these files is about a real person.
      </p>
    );
  if (facts.release?.label !== 'sample') return null;
  return (
    <p class="notice">
      <strong>Ages and ethnicities are made up.</strong> The contributions are the FEC&rsquo;s, but the reference data
      behind these estimates are still a sample: nothing estimated here says anything about people.
    </p>
  );
}
