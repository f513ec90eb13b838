import { createHash } from 'node:crypto';
import { type Release } from '@donorlens/reference-data';
import { type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type AgeAnswer } from '../lookups/age-answer';
import { AgeChart } from './age-chart';
import { WIDE } from './chart-frame';
import { chartData } from './chart-geometry';
import { headline } from './headline';
import { CHART_STYLES } from './stylesheet';

const STYLE = `${CHART_STYLES}\nsvg{background:var(--paper)}`;
const styleHash = createHash('sha256').update(STYLE).digest('base64');

/** The chart carries its styles inside itself, so that it can be embedded: exactly these are allowed. */
export const CHART_POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`;

const EMPTY = { gender: null, median: null, q25: null, q75: null, cohorts: [] } as const;

/** The chart as a picture of its own; of an unknown name an empty one that says so in its title. */
export function standaloneChart(answer: AgeAnswer, release: Release): string {
  const distribution = answer.distribution ?? {
    ...EMPTY,
    genderProbability: null,
    livingM: 0,
    livingF: 0,
    bornM: 0,
    bornF: 0,
  };
  return standalone(
    <AgeChart
      id="age"
      size={WIDE}
      data={chartData(distribution, answer.on)}
      ages={distribution}
      title={headline(answer)}
      description={`Born per year as a line, still living as an area below it. Data release ${release.id}.`}
    />,
  );
}

/** What XML 1.0 has no place for, and control characters beside it. */
const NO_XML = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu;

/** A chart that begins with its title, with its styles inside: XML, in which `]]>` may be no text. */
export const standalone = (chart: VNode): string =>
  renderToString(chart)
    .replace(NO_XML, '\ufffd')
    .replaceAll(']]>', ']]&gt;')
    .replace('><title', () => `><style>${STYLE}</style><title`);
