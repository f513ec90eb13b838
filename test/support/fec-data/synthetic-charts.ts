import { type AgeRow } from '@donorlens/charts';
import { type AboutFacts } from '../../../apps/api/src/charts/about-facts';
import { type AgesChart, type LinesChart } from '../../../apps/api/src/charts/donor-charts';
import {
  type DonorAges,
  donorAges,
  type DonorLine,
  MAX_HISTOGRAMS,
  MAX_LINES,
} from '../../../apps/api/src/charts/donor-series';
import { type RequestContext } from '../../../apps/api/src/web/charts/chart-subject';

/** The maximum number of series in a chart, as uneven as real ones: each day has a different number of new donors. */
const DAYS = 731;

/** A generator of numbers from 0 to 1, always the same for a seed. */
function noise(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

export const SYNTHETIC_LINES: readonly DonorLine[] = Array.from({ length: MAX_LINES }, (_, at) => {
  const next = noise(at + 1);
  let donors = 0;
  return {
    cycle: 2016,
    id: `P0000000${at}`,
    until: '2016-12-31',
    donors: Array.from(
      { length: DAYS },
      (_, day) => (donors += Math.floor(next() ** 4 * (MAX_LINES - at) * (day + 9))),
    ),
  };
});

export const SYNTHETIC_AGES: readonly DonorAges[] = Array.from({ length: MAX_HISTOGRAMS }, (_, at) => {
  const next = noise(at + 1);
  const row = (ageYears: number | null, donors: number): AgeRow => ({
    cycle: 2016,
    committeeId: `C0000000${at}`,
    ageYears,
    donors,
    contributions: 0,
    amountCents: 0,
  });
  const rows = Array.from({ length: 100 }, (_, age) => row(age, Math.floor(next() * 9_999)));
  return donorAges([...rows, row(null, 99)]).parts[0];
});

const FACTS: AboutFacts = {
  cycles: [],
  unlinked: [],
  builtAt: null,
  donorKeyVersion: null,
  masters: [],
  offices: ['P'],
  imports: { files: [], filings: 0, hasSample: true },
  release: null,
  geocoder: { benchmark: '', vintage: '' },
  examples: null,
  index: [],
  picture: null,
};
const CONTEXT: RequestContext = { origin: 'https://example.org', token: undefined, user: null };
const SHARED = {
  version: { id: '7', at: new Date('2026-01-02') },
  names: new Map<string, string>(),
  linked: [],
  candidates: new Map<string, string>(),
  seats: new Map(),
};

interface Props<T> {
  readonly chart: T;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly found: null;
  readonly facts: AboutFacts;
  readonly context: RequestContext;
}

export const linesProps = (parts: readonly DonorLine[], of = parts.length): Props<LinesChart> => ({
  chart: { ...SHARED, parts, of },
  lists: { candidate_id: [], cycle: ['2016'] },
  found: null,
  facts: FACTS,
  context: CONTEXT,
});

export const agesProps = (parts: readonly DonorAges[], of = parts.length): Props<AgesChart> => ({
  chart: { ...SHARED, parts, of },
  lists: { committee_id: [], cycle: ['2016'], basis: [] },
  found: null,
  facts: FACTS,
  context: CONTEXT,
});
