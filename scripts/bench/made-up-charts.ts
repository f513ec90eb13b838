import { type AboutFacts } from '../../apps/api/src/data-charts/about-facts';
import { type DonorAges, donorAges, MOST_HISTOGRAMS } from '../../apps/api/src/data-charts/donor-ages';
import { type AgesChart, type LinesChart } from '../../apps/api/src/data-charts/donor-charts';
import { type DonorLine, MOST_LINES } from '../../apps/api/src/data-charts/donor-lines';
import { type Visit } from '../../apps/api/src/pages/visit';

/** As many parts as are ever drawn, and as rough as real ones: every day has its own number of new donors. */
const DAYS = 731;

/** 0 to 1, always the same. */
function noise(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

export const MADE_UP_LINES: readonly DonorLine[] = Array.from({ length: MOST_LINES }, (_, at) => {
  const next = noise(at + 1);
  let donors = 0;
  return {
    cycle: 2016,
    id: `P0000000${at}`,
    until: '2016-12-31',
    donors: Array.from(
      { length: DAYS },
      (_, day) => (donors += Math.floor(next() ** 4 * (MOST_LINES - at) * (day + 9))),
    ),
  };
});

export const MADE_UP_AGES: readonly DonorAges[] = Array.from({ length: MOST_HISTOGRAMS }, (_, at) => {
  const next = noise(at + 1);
  const rows = Array.from({ length: 100 }, (_, age) => [2016, `C0000000${at}`, age, Math.floor(next() * 9_999)]);
  return donorAges([...rows, [2016, `C0000000${at}`, '', 99]]).parts[0];
});

const FACTS: AboutFacts = {
  cycles: [],
  nearestLinkages: [],
  builtAt: null,
  donorKeyVersion: null,
  masters: [],
  imports: { files: [], filings: 0, hasSample: true },
  release: null,
  geocoder: { benchmark: '', vintage: '' },
  examples: null,
  index: [],
  picture: null,
};
const VISIT: Visit = { origin: 'https://example.org', token: undefined, visitor: null };
const SHARED = { version: { id: '7', at: new Date('2026-01-02') }, names: new Map<string, string>(), linked: [] };

interface Props<T> {
  readonly chart: T;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly found: null;
  readonly facts: AboutFacts;
  readonly visit: Visit;
}

export const linesProps = (parts: readonly DonorLine[], of = parts.length): Props<LinesChart> => ({
  chart: { ...SHARED, parts, of },
  lists: { candidate_id: [], cycle: ['2016'] },
  found: null,
  facts: FACTS,
  visit: VISIT,
});

export const agesProps = (parts: readonly DonorAges[], of = parts.length): Props<AgesChart> => ({
  chart: { ...SHARED, parts, of },
  lists: { committee_id: [], cycle: ['2016'], basis: [] },
  found: null,
  facts: FACTS,
  visit: VISIT,
});
