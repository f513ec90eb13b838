import { type AboutFacts } from '../../charts/about-facts';
import { type AgesChart as Ages, type LinesChart as Lines } from '../../charts/donor-charts';
import { textOf } from '../layout/headline';
import { isoDay } from '../layout/labels';
import { EmptyChart, standalone } from '../layout/picture';
import { AgesChart, WIDE_WIDTH } from './ages/ages-chart';
import { ageNames, agesHeadline } from './ages/ages-headline';
import { agesDescription, sizesOf } from './ages/ages-page';
import { labelsOf } from './chart-labels';
import { basisLabel } from './chart-subject';
import { pictureNotices } from './data-notices';
import { LinesChart } from './lines/lines-chart';
import { WIDE_LINES } from './lines/lines-geometry';
import { linesDescription, linesHeadline } from './lines/lines-page';

/** All contributions have the same publisher; the text also names the version of the charts. */
const sourceOf = ({ version }: Pick<Ages, 'version'>): string =>
  `Source: Federal Election Commission; donorlens, charts-${version.id} of ${isoDay(version.at)}.`;

const noticesOf = ({ parts }: Ages | Lines, facts: AboutFacts): string[] =>
  pictureNotices(
    facts,
    parts.map(({ cycle }) => cycle),
  );

const agesNotice = (basis: readonly string[], { release }: AboutFacts): string =>
  `Ages are estimated from ${release?.label === 'sample' ? 'synthetic records of ' : ''}first names: ${basisLabel(basis)}.`;

const NO_DONORS = 'No donors match this selection';

/** The histograms as an SVG file; if nothing matches, the file says so. */
export const standaloneAges = (chart: Ages, basis: readonly string[], facts: AboutFacts): string =>
  chart.parts.length === 0
    ? standalone(<EmptyChart title={NO_DONORS} />, { title: NO_DONORS, source: sourceOf(chart) })
    : standalone(
        <AgesChart
          id="ages"
          width={WIDE_WIDTH}
          parts={chart.parts}
          names={chart.parts.map(({ id }) => ageNames(chart).get(id)!)}
          title={textOf(agesHeadline(chart, facts))}
          description={agesDescription({ chart })}
          sizes={sizesOf(chart.parts, basis)}
        />,
        {
          title: textOf(agesHeadline(chart, facts)),
          source: sourceOf(chart),
          notices: [agesNotice(basis, facts), ...noticesOf(chart, facts)],
        },
      );

/** The lines as an SVG file; if nothing matches, the file says so. */
export const standaloneLines = (chart: Lines, facts: AboutFacts): string =>
  chart.parts.length === 0
    ? standalone(<EmptyChart title={NO_DONORS} />, { title: NO_DONORS, source: sourceOf(chart) })
    : standalone(
        <LinesChart
          id="lines"
          size={WIDE_LINES}
          lines={chart.parts}
          labels={labelsOf(chart.parts, chart.names)}
          title={textOf(linesHeadline(chart, facts))}
          description={linesDescription({ chart })}
        />,
        { title: textOf(linesHeadline(chart, facts)), source: sourceOf(chart), notices: noticesOf(chart, facts) },
      );
