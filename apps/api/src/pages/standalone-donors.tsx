import { type VNode } from 'preact';
import { type AgesChart as Ages, type LinesChart as Lines } from '../data-charts/donor-charts';
import { AgesChart } from './ages-chart';
import { WIDE_WIDTH } from './ages-frame';
import { agesHeadline } from './ages-headline';
import { agesDescription } from './ages-page';
import { labelsOf, nameOf } from './drawn-names';
import { textOf } from './headline';
import { LinesChart } from './lines-chart';
import { WIDE_LINES } from './lines-frame';
import { linesHeadline } from './lines-headline';
import { linesDescription } from './lines-page';
import { standalone } from './standalone-chart';

const NOTHING = 'No donors are counted for this question';

/** The histograms as a picture of its own; where nothing matches, one that says so. */
export const standaloneAges = (chart: Ages): string =>
  chart.parts.length === 0
    ? standalone(<Nothing />)
    : standalone(
        <AgesChart
          id="ages"
          width={WIDE_WIDTH}
          parts={chart.parts}
          names={chart.parts.map(({ id }) => nameOf(chart.names, id))}
          title={textOf(agesHeadline(chart))}
          description={agesDescription({ chart })}
        />,
      );

/** The lines likewise. */
export const standaloneLines = (chart: Lines): string =>
  chart.parts.length === 0
    ? standalone(<Nothing />)
    : standalone(
        <LinesChart
          id="lines"
          size={WIDE_LINES}
          lines={chart.parts}
          labels={labelsOf(chart.parts, chart.names)}
          title={textOf(linesHeadline(chart))}
          description={linesDescription({ chart })}
        />,
      );

const Nothing = (): VNode => (
  <svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 760 120" role="img" aria-labelledby="nothing">
    <title id="nothing">{NOTHING}</title>
    <text x="380" y="64" text-anchor="middle">
      {NOTHING}
    </text>
  </svg>
);
