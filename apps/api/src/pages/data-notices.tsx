import { type VNode } from 'preact';
import { type AboutFacts, hasSample } from '../data-charts/about-facts';

interface DataNoticesProps {
  readonly facts: AboutFacts;
  /** those that the page shows; else all that are loaded */
  readonly cycles?: readonly number[];
}

/** On every page whose figures rest on data that were made up, or that may be a part of a cycle. */
export function DataNotices({ facts, cycles = facts.cycles.map(({ cycle }) => cycle) }: DataNoticesProps): VNode {
  if (hasSample(facts))
    return (
      <p class="notice">
        <strong>Sample data.</strong> Candidates, committees and donors here are made up. No figure on this page or in
        these files is about a real person.
      </p>
    );
  return (
    <>
      {facts.release?.label === 'sample' && (
        <p class="notice">
          <strong>Ages and ethnicities are made up.</strong> The contributions are the FEC&rsquo;s, but the reference
          data behind these estimates are still a sample: nothing estimated here says anything about people.
        </p>
      )}
      <PartsOfCycles cycles={[...new Set(cycles)].sort()} files={facts.imports.files} />
    </>
  );
}

interface PartsProps {
  readonly cycles: readonly number[];
  readonly files: AboutFacts['imports']['files'];
}

/** Nobody but the operator knows how much of a cycle a file of theirs holds, so a reader is told that it is one. */
function PartsOfCycles({ cycles, files }: PartsProps): VNode {
  const sourceOf = (cycle: number): string | undefined =>
    files.find((one) => one.kind === 'contributions' && one.cycle === cycle)?.source;
  const without = cycles.filter((cycle) => sourceOf(cycle) === undefined);
  const given = cycles.filter((cycle) => sourceOf(cycle)?.includes('/') === false); // a bare name; else an address
  return (
    <>
      {without.length > 0 && (
        <p class="notice">
          <strong>Not all of {without.join(', ')}.</strong> No file with the contributions of the cycle is loaded; those
          here came with files of other cycles, or in single filings.
        </p>
      )}
      {given.length > 0 && (
        <p class="notice">
          <strong>Perhaps not all of {given.join(', ')}.</strong> The contributions were read from a file given by the
          operator; the service cannot know whether it is the FEC&rsquo;s whole file of the cycle.
        </p>
      )}
    </>
  );
}
