import { cycleOfYear, parseCivilDay } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { type AboutFacts, hasSample } from '../../charts/about-facts';
import { longDate } from '../layout/labels';

/** The command that imports the contributions of a cycle. */
export const ImportCommand = ({ cycle = 'YEAR' }: { readonly cycle?: number | 'YEAR' }): VNode => (
  <code class="command">bin/donorlens import fec --cycle {cycle}</code>
);

/** False for a cycle after the current one, of which the FEC has no contributions. */
export const hasBegun = (cycle: number): boolean => cycle <= cycleOfYear(new Date().getUTCFullYear());

interface DataNoticesProps {
  readonly facts: AboutFacts;
  /** cycles on the page; by default all that are loaded */
  readonly cycles?: readonly number[];
}

/** Notices for pages with figures from sample data or from a part of a cycle. */
export function DataNotices({ facts, cycles = facts.cycles.map(({ cycle }) => cycle) }: DataNoticesProps): VNode {
  if (hasSample(facts))
    return (
      <p class="notice">
        <strong>Sample data.</strong> These candidates, committees and donors are synthetic. No figure on this page or
        in these files is about a real person.
      </p>
    );
  return (
    <>
      {facts.release?.label === 'sample' && (
        <p class="notice">
          <strong>Ages and ethnicities are from sample data.</strong> The contributions are from the FEC, but the
          reference data for these estimates are synthetic. Do not use the estimates.
        </p>
      )}
      <IncompleteCyclesNotices {...incompleteCyclesOf(facts, cycles)} />
    </>
  );
}

/** Cycles whose contributions may be incomplete, ascending. */
interface IncompleteCycles {
  /** cycles without the FEC's file */
  readonly cyclesWithoutBulkFile: readonly number[];
  /** cycles with a file of the operator, which may not contain the whole cycle */
  readonly cyclesWithOperatorFile: readonly number[];
  /** cycles whose newest contribution, to any office, is from before December of the second year */
  readonly endedEarly: readonly { readonly cycle: number; readonly newestOn: string }[];
}

function incompleteCyclesOf(facts: AboutFacts, cycles: readonly number[]): IncompleteCycles {
  if (hasSample(facts)) return { cyclesWithoutBulkFile: [], cyclesWithOperatorFile: [], endedEarly: [] };
  const sourceOf = (cycle: number): string | undefined =>
    facts.imports.files.find((one) => one.kind === 'contributions' && one.cycle === cycle)?.source;
  const sorted = [...new Set(cycles)].sort();
  return {
    cyclesWithoutBulkFile: sorted.filter((cycle) => sourceOf(cycle) === undefined),
    cyclesWithOperatorFile: sorted.filter((cycle) => sourceOf(cycle)?.includes('/') === false), // a file name, not a URL
    endedEarly: facts.cycles.filter(({ cycle, newestOn }) => sorted.includes(cycle) && newestOn < `${cycle}-12`),
  };
}

/** Whether contributions of these cycles may be missing. */
export function mayBeIncomplete(facts: AboutFacts, cycles: readonly number[]): boolean {
  const { cyclesWithoutBulkFile, cyclesWithOperatorFile, endedEarly } = incompleteCyclesOf(facts, cycles);
  return cyclesWithoutBulkFile.length + cyclesWithOperatorFile.length + endedEarly.length > 0;
}

/** ` in 2016` for the end of a headline, ` in loaded 2016 data` if contributions may be missing; no year for several. */
export function inCycles(facts: AboutFacts, cycles: readonly number[]): string {
  const isOne = cycles.every((cycle) => cycle === cycles[0]);
  if (mayBeIncomplete(facts, cycles)) return ` in loaded ${isOne ? `${cycles[0]} ` : ''}data`;
  return isOne ? ` in ${cycles[0]}` : '';
}

/** The same notices for the SVG file of a page. */
export function pictureNotices(facts: AboutFacts, cycles: readonly number[]): string[] {
  if (hasSample(facts)) return ['Synthetic sample data: no figure is about a real person.'];
  const { cyclesWithoutBulkFile, cyclesWithOperatorFile, endedEarly } = incompleteCyclesOf(facts, cycles);
  return [
    ...(cyclesWithoutBulkFile.length > 0
      ? [`${incomplete(cyclesWithoutBulkFile)} The FEC’s file of the cycle is not loaded.`]
      : []),
    ...(cyclesWithOperatorFile.length > 0
      ? [`${listed(cyclesWithOperatorFile)} may be incomplete: contributions from a file given by the operator.`]
      : []),
    ...endedEarly.map(newestText),
  ];
}

const newestText = ({ cycle, newestOn }: IncompleteCycles['endedEarly'][number]): string =>
  `Loaded data of the ${cycle} cycle end on ${longDate(parseCivilDay(newestOn))}. Later contributions are missing.`;

function IncompleteCyclesNotices({
  cyclesWithoutBulkFile,
  cyclesWithOperatorFile,
  endedEarly,
}: IncompleteCycles): VNode {
  return (
    <>
      {cyclesWithoutBulkFile.length > 0 && (
        <p class="notice">
          <strong>{incomplete(cyclesWithoutBulkFile)}</strong> The FEC&rsquo;s file of the cycle is not loaded. These
          contributions are from files of other cycles or from single filings.
        </p>
      )}
      {cyclesWithOperatorFile.length > 0 && (
        <p class="notice">
          <strong>{listed(cyclesWithOperatorFile)} may be incomplete.</strong> The contributions are from a file given
          by the operator, which may be a part of the FEC&rsquo;s file of the cycle.
        </p>
      )}
      {endedEarly.length > 0 && <p class="notice">{endedEarly.map(newestText).join(' ')}</p>}
    </>
  );
}

/** `2012`, `2012 and 2018`, `2008, 2012 and 2018`. */
const listed = (cycles: readonly number[]): string =>
  cycles.length < 2 ? cycles.join() : `${cycles.slice(0, -1).join(', ')} and ${cycles.at(-1)}`;

const incomplete = (cycles: readonly number[]): string =>
  `${listed(cycles)} ${cycles.length === 1 ? 'is' : 'are'} incomplete.`;
