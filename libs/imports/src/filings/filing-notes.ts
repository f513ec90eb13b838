import { type FilingReport } from './filing-report';

type Noted = Omit<FilingReport, 'notes'>;

/** What an operator should know of a filing that was read, in words. */
export const notesOf = (report: Noted): string[] =>
  [chain(report), linkage(report), rows(report), sums(report), share(report)].flat();

function chain({
  outcome,
  amends,
  supersedes = [],
  supersededBy,
  amendedInProcessed = 0,
  replacedLarger,
}: Noted): string[] {
  const notes: string[] = [];
  if (amends && !amends.isKnown) notes.push(`amends filing ${amends.fileNumber}, which was never imported`);
  if (supersedes.length > 0) notes.push(`takes the place of ${supersedes.join(', ')}`);
  if (amendedInProcessed > 0) notes.push(`takes the place of ${amendedInProcessed} rows of the processed file`);
  if (replacedLarger)
    notes.push(
      `has fewer rows than filing ${replacedLarger.fileNumber}, which had ${replacedLarger.kept}, and its form states no total`,
    );
  if (outcome === 'superseded') notes.push(`filing ${supersededBy ?? 'another one'} amends it and is in force`);
  return notes;
}

const linkage = ({ isLinked, committeeId }: Noted): string[] =>
  isLinked === false ? [`no candidate is linked to ${committeeId ?? 'its committee'} yet: its rows are nobody's`] : [];

function rows({ duplicates = 0, rejected = {}, replacedByProcessed = 0 }: Noted): string[] {
  const unread = Object.entries(rejected).map(([code, lines]) => `${lines} lines cannot be read: ${code}`);
  const repeated = duplicates > 0 ? [`${duplicates} rows have the transaction id of another one`] : [];
  const processed = replacedByProcessed > 0 ? [`${replacedByProcessed} rows stand in the processed file by now`] : [];
  return [...unread, ...repeated, ...processed];
}

function sums({ reconciliation }: Noted): string[] {
  if (!reconciliation?.itemizedDifferenceCents) return [];
  const { itemizedCents, itemizedSummaryCents, itemizedDifferenceCents } = reconciliation;
  return [
    `itemized rows add up to ${dollars(itemizedCents)}, its form states ${dollars(itemizedSummaryCents ?? 0)}: ` +
      `${dollars(itemizedDifferenceCents)} differ`,
  ];
}

function share({ reconciliation }: Noted): string[] {
  if (!reconciliation?.unitemizedCents || reconciliation.unitemizedShare === null) return [];
  const percent = (reconciliation.unitemizedShare * 100).toFixed(1);
  return [`${dollars(reconciliation.unitemizedCents)} (${percent} %) of individuals' gifts have no rows`];
}

export const dollars = (cents: number): string => (cents / 100).toFixed(2);
