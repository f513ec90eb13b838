import { createHash } from 'node:crypto';
import { type ComponentChildren, type VNode } from 'preact';
import { type ScaleLinear } from 'd3-scale';
import { renderToString } from 'preact-render-to-string';
import { CHART_STYLES } from '../assets/assets';

/** Id and texts of a chart. */
export interface PictureProps {
  /** Prefix of the element ids, unique on the page. */
  readonly id: string;
  readonly title: string;
  /** Text alternative. */
  readonly description: string;
}

interface FrameProps extends PictureProps {
  readonly size: ChartSize;
  readonly class?: string;
  /** Frames of the plots. The chart script reads their edges. */
  readonly frames?: readonly Frame[];
  readonly children: ComponentChildren;
}

/** SVG element of a chart with its text alternative, valid inline and as a file. */
export const Picture = ({
  id,
  title,
  description,
  size,
  class: kind = 'chart',
  frames,
  children,
}: FrameProps): VNode => (
  <svg
    xmlns="http://www.w3.org/2000/svg"
    class={kind}
    viewBox={`0 0 ${size.width} ${size.height}`}
    role="img"
    aria-labelledby={`${id}-title ${id}-desc`}
    data-plots={frames?.map(({ left, right, top, bottom }) => [left, right, top, bottom].join(',')).join(';')}
  >
    <title id={`${id}-title`}>{title}</title>
    <desc id={`${id}-desc`}>{description}</desc>
    {children}
  </svg>
);

interface WideAndNarrowProps<Size> {
  readonly wide: Size;
  readonly narrow: Size;
  readonly draw: (id: 'wide' | 'narrow', size: Size) => VNode;
}

/** Renders both sizes, because text in an SVG scales with it; CSS shows the one that fits the screen. */
export const WideAndNarrow = <Size,>({ wide, narrow, draw }: WideAndNarrowProps<Size>): VNode => (
  <>
    <div class="wide">{draw('wide', wide)}</div>
    <div class="narrow">{draw('narrow', narrow)}</div>
  </>
);

export type ChartSize = { readonly width: number; readonly height: number };
export const WIDE: ChartSize = { width: 760, height: 400 };
export const NARROW: ChartSize = { width: 360, height: 340 };

/** Scales and edges of the plot, in SVG units. */
export interface Frame {
  readonly x: ScaleLinear<number, number>;
  readonly y: ScaleLinear<number, number>;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Rounds to tenths: finer than any screen, and it halves the file size. */
export const tenth = (value: number): number => Math.round(value * 10) / 10;

/** The count axis on the left. */
export function CountAxis({ frame: { y, left, right } }: { readonly frame: Frame }): VNode {
  const format = y.tickFormat(4, '~s');
  const ticks = y.ticks(4).filter((tick) => Number.isInteger(tick));
  return (
    <g class="axis">
      {ticks.map((tick) => (
        <g>
          <line class={tick === 0 ? 'base' : 'grid'} x1={left} x2={right} y1={tenth(y(tick))} y2={tenth(y(tick))} />
          <text x={left - 7} y={tenth(y(tick)) + 4} text-anchor="end">
            {tick === 0 ? '0' : format(tick)}
          </text>
        </g>
      ))}
    </g>
  );
}

/** Chart styles with the colors of a light page instead of variables, which many SVG programs do not support. */
export function plainStyles(styles: string): string {
  const light = styles.replace(/@media[^{]*\{\s*:root\s*\{[^}]*\}\s*\}/g, '');
  const colors = new Map([...light.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name, color]) => [name, color]));
  return light
    .replace(/:root\s*\{[^}]*\}\s*/g, '')
    .replace(/var\((--[\w-]+)\)/g, (_, name: string) => colors.get(name) ?? 'currentColor');
}

const STYLE = plainStyles(`${CHART_STYLES}
.chart .paper{fill:var(--paper)}
.chart .heading{fill:var(--ink);font-size:18px;font-weight:600}`);
const styleHash = createHash('sha256').update(STYLE).digest('base64');

/** Content-Security-Policy of SVG files: only their inline styles. */
export const CHART_POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`;

/** Characters that XML 1.0 forbids, and control characters. */
const NO_XML = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu;

/** Texts of the file, above and below the chart. */
export interface Caption {
  readonly title: string;
  /** Publisher, version and date. */
  readonly source: string;
  /** Limitations of the figures, below the source. */
  readonly notices?: readonly string[];
}

const LINE_HEIGHT = 24;
const NOTICE_HEIGHT = 17;
const SIDE = 12;
/** Approximate width of a letter in the heading, and in other texts. */
const HEADING_LETTER = 11;
const LETTER = 6.5;

/** Splits a text into lines that fit the width. */
function linesOf(text: string, width: number, letter: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines[lines.length - 1]} ${word}`.trim();
    if (longer.length * letter <= width - 2 * SIDE || lines[lines.length - 1] === '') lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Stands for a chart that has nothing to draw. */
export const EmptyChart = ({ title }: { readonly title: string }): VNode => (
  <svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 760 40" role="img" aria-labelledby="empty">
    <title id="empty">{title}</title>
  </svg>
);

const VIEW_BOX = /viewBox="0 0 ([\d.]+) ([\d.]+)"/;

/**
 * The chart as an SVG file with inline styles, its title, and its source below. XML text must not contain `]]>`.
 * The file states its size, so that programs that convert it to PNG keep the size.
 */
export function standalone(chart: VNode, { title, source, notices = [] }: Caption): string {
  const drawn = renderToString(chart);
  const [width, height] = VIEW_BOX.exec(drawn)!.slice(1).map(Number);
  const lines = linesOf(title, width, HEADING_LETTER);
  const below = [source, ...notices].flatMap((text) => linesOf(text, width, LETTER));
  const top = -(lines.length * LINE_HEIGHT + SIDE);
  const all = height - top + LINE_HEIGHT + (below.length - 1) * NOTICE_HEIGHT + SIDE;
  const heading = lines.map((line, at) => (
    <text class="heading" x={SIDE} y={top + (at + 1) * LINE_HEIGHT}>
      {line}
    </text>
  ));
  const caption = renderToString(
    <>
      {heading}
      {below.map((line, at) => (
        <text x={SIDE} y={height + LINE_HEIGHT + at * NOTICE_HEIGHT}>
          {line}
        </text>
      ))}
    </>,
  );
  const paper = `<rect class="paper" x="0" y="${top}" width="${width}" height="${all}"/>`;
  return drawn
    .replace(VIEW_BOX, `viewBox="0 ${top} ${width} ${all}" width="${width}" height="${all}"`)
    .replace('><title', () => `><style>${STYLE}</style><title`)
    .replace(/<\/svg>$/, () => `${caption}</svg>`)
    .replace(/<\/desc>|<\/title>(?!<desc)/, (end) => `${end}${paper}`)
    .replace(NO_XML, '\ufffd')
    .replaceAll(']]>', ']]&gt;');
}
