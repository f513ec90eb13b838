import { type BreakdownRow } from '@donorlens/charts';
import { renderToString } from 'preact-render-to-string';
import { linesProps, SYNTHETIC_LINES } from '../../../../../test/support/fec-data/synthetic-charts';
import { type AboutFacts } from '../../charts/about-facts';
import { type CandidateProfile, type CycleDonors } from '../../charts/candidate-profiles';
import { STYLESHEET } from '../assets/assets';
import { renderCandidatePage } from './candidate.controller';
import { renderComparePage } from './compare-page';
import { StateMap, stateName } from './state-map';

const row = (by: BreakdownRow['by'], value: string | null, donors: number): BreakdownRow => ({
  ...{ cycle: 2016, candidateId: 'P00000000', by, value, donors },
  ...{ contributions: donors, amountCents: donors },
});

const { chart, facts, context } = linesProps(SYNTHETIC_LINES.slice(0, 1));
const DONORS: CycleDonors = {
  ...{ cycle: 2016, count: 200, contributions: 250, amountCents: 123_456, line: chart },
  breakdowns: [row('state', 'CA', 150), row('state', 'NY', 50), row('gender', 'f', 120), row('gender', 'm', 80)],
  ...{ ethnicities: null, sizes: [], retention: null, overlaps: [], ages: [] },
};

function page(
  donors: CycleDonors | null,
  more: Partial<CandidateProfile> = {},
  cycles: AboutFacts['cycles'] = [],
): {
  readonly headline: string;
  readonly headings: readonly string[];
  readonly text: string;
} {
  const profile = {
    ...{ id: 'P00000000', name: 'DOE, PAT', seat: null, committees: [], cycles: [2016], cycle: 2016 },
    donors,
    ...more,
  };
  const html = renderCandidatePage({ profile, facts: { ...facts, cycles }, version: chart.version, context });
  const textOf = (part: string): string => part.replace(/<[^>]+>/g, '');
  return {
    headline: textOf(/<h1.*?<\/h1>/s.exec(html)![0]),
    headings: [...html.matchAll(/<h3>(.*?)<\/h3>/gs)].map(([, heading]) => textOf(heading)),
    text: textOf(html),
  };
}

describe('the page of a candidate', () => {
  it('states the finding of each section for 100 or more donors', () => {
    const { headline, headings, text } = page(DONORS);
    expect(headline).toBe('Pat Doe had 200 donors in 2016, 75% in California');
    expect(headings.slice(0, 2)).toEqual(['State: 75% live in California', 'Gender: 60% are female']);
    expect(text).toContain('Amount, net of refunds$1,235');
  });

  it('states no findings for fewer donors', () => {
    const { headline, headings } = page({ ...DONORS, count: 99 });
    expect([headline, headings[1]]).toEqual(['Pat Doe had 99 donors in 2016', 'Gender']);
  });

  it('explains how to get the missing data of a section', () => {
    const { text } = page(DONORS);
    for (const words of [
      'These numbers are being computed.',
      'zcta_county_rel_10.txt',
      'import fec --cycle 2014',
      'import fec --masters --cycle 2016',
      'No donor of the cycle gave to another candidate',
      'No first name or surname of a donor is in the reference data.',
    ])
      expect(text).toContain(words);
  });

  it('refers to the other committees of the cycle if none is the principal one', () => {
    const { text } = page(DONORS, { committees: [{ id: 'C00000001', name: '', isPrincipal: false, cycles: [2016] }] });
    expect(text).toContain('has donors in 2016. The committees below link to the ages of their donors.');
    expect(text).not.toContain('--masters');
  });

  it('tells a cycle that is not loaded from one without a contribution or a linked committee', () => {
    const coverage = {
      newestOn: '2016-12-31',
      candidates: 1,
      committees: 1,
      contributions: 1,
      amountCents: 1,
      sensitivity: null,
    };
    const loaded = [{ ...coverage, cycle: 2018, offices: ['P'] as const }];
    const missing = (cycle: number, committees: CandidateProfile['committees'] = []): string =>
      page(null, { cycle, committees }, loaded).text;
    expect(missing(2018)).toContain('2018 are loaded, but no committee is linked to this candidate in that cycle.');
    const linked = [{ id: 'C00000001', name: '', isPrincipal: true, cycles: [2018] }];
    expect(missing(2018, linked)).toContain('2018 are loaded, but none to a committee of this candidate.');
    expect(missing(2018)).not.toContain('import fec');
    expect(missing(2020)).toContain(
      'loaded for 2020. Loaded cycles: 2018. Load a cycle: bin/donorlens import fec --cycle 2020',
    );
    expect(missing(9998)).toMatch(/ loaded for 9998\. Loaded cycles: 2018\. The 9998 cycle has not begun\./);
    expect(missing(9998)).not.toContain('import fec');
  });

  it('has a tile for each state, the capital and Puerto Rico, with the share of its donors', () => {
    const states = [{ code: 'CA', donors: 3, share: 0.75 }];
    const svg = renderToString(<StateMap id="map" title="Donors" states={states} />);
    const codes = [...svg.matchAll(/class="name"[^>]*>(\w\w)</g)].map(([, code]) => code);
    expect([codes.length, new Set(codes).size]).toEqual([52, 52]);
    expect(codes.filter((code) => stateName(code) === code)).toEqual([]);
    expect(svg.match(/class="shade-4"/g)).toHaveLength(1);
    expect(svg).toContain('>75%<');
  });

  it.each(['light', 'dark'])(
    'has a contrast of at least 4.5 between the text and each shade of the map, in %s colors',
    (scheme) => {
      const color = (name: string): number[] => {
        const hex = [...STYLESHEET.matchAll(new RegExp(`--${name}: #(\\w{6});`, 'g'))][scheme === 'light' ? 0 : 1][1];
        return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
      };
      const opacities = [...STYLESHEET.matchAll(/\.shade-\d \{\s*fill-opacity: ([\d.]+)/g)].map(([, one]) =>
        Number(one),
      );
      expect(opacities).toHaveLength(4);
      const [paper, area] = [color('paper'), color('area')];
      const shades = [...opacities, 1].map((opacity) =>
        area.map((part, at) => part * opacity + paper[at] * (1 - opacity)),
      );
      for (const shade of [color('band'), ...shades])
        expect(contrastOf(color('ink'), shade)).toBeGreaterThanOrEqual(4.5);
    },
  );
});

/** Contrast ratio of WCAG 2.2, from 1 to 21. */
function contrastOf(...colors: readonly [readonly number[], readonly number[]]): number {
  const luminances = colors.map((parts) => {
    const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  });
  return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05);
}

describe('a comparison', () => {
  it('states for each candidate how many donors have no known value', () => {
    const donors = { ...DONORS, breakdowns: [...DONORS.breakdowns, row('gender', null, 20)] };
    const shared = { seat: null, committees: [], cycles: [2016], cycle: 2016 };
    const profiles = [
      { ...shared, id: 'P00000001', name: 'DOE, PAT', donors },
      { ...shared, id: 'P00000002', name: 'ROE, SAM', donors: DONORS },
    ];
    const comparison = {
      ...{ kind: 'candidate' as const, ids: profiles.map(({ id }) => id), cycle: 2016, cycles: [2016] },
      ...{ names: new Map(profiles.map(({ id, name }) => [id, name])), profiles, lines: null, ages: [] },
    };
    const html = renderComparePage({ comparison, text: '', found: null, near: [], facts, context });
    expect(html.match(/<p class="quiet">[^<]* no known [^<]*/g)).toEqual([
      '<p class="quiet">20 of 220 donors have no known gender.',
    ]);
  });
});
