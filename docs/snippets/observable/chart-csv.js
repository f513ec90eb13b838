// A cell of a notebook or page: donors of a candidate, day by day. Any origin may read them.
// Visitors can read a key in a page: give it only the scope charts:read.
const url = `${DONORLENS_URL}/data-charts/v1/cumulative_donors/candidate?candidate_id=P90000001&cycle=2024&token=${DONORLENS_KEY}`;
const days = await d3.csv(url, d3.autoType);

display(
  Plot.plot({
    y: { label: 'donors', grid: true },
    marks: [Plot.lineY(days, { x: 'REF_DATE', y: 'CUMUL_DONORS', stroke: 'CAND_ID', curve: 'step-after' })],
  }),
);
