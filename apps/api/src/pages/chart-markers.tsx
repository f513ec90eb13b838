import { type Quartiles } from '@donorlens/demographics';
import { type VNode } from 'preact';
import { type Frame, LOWER_ROW, tenth, UPPER_ROW } from './chart-frame';
import { type ChartData } from './chart-geometry';

interface MarkersProps {
  readonly data: ChartData;
  readonly ages: Quartiles;
  readonly frame: Frame;
}

/** About the width of a character of a label. */
const CHARACTER = 6.4;
const BOLD_CHARACTER = 8.5;
/** Between a rule and the words beside it. */
const BESIDE = 5;

export function QuartileBand({
  data: { q25, q75 },
  frame: { x, top, bottom },
}: Omit<MarkersProps, 'ages'>): VNode | null {
  if (q25 === null || q75 === null) return null;
  const from = tenth(x(q75));
  return <rect class="band" x={from} y={top} width={Math.max(1, tenth(x(q25) - from))} height={bottom - top} />;
}

/**
 * Rules at the median and the quartiles, with words: each quartile's own beside its rule where both have room, else one for
 * the half between. No rule runs through words: those of the median stand above the rules that they may be wider apart than.
 */
export function Markers({ data, ages, frame }: MarkersProps): VNode | null {
  const { x } = frame;
  if (data.median === null || data.q25 === null || data.q75 === null) return null;
  const [oldest, middle, youngest] = [x(data.q75), x(data.median), x(data.q25)];
  const words = [
    [`a quarter over ${ages.q75}`, `a quarter under ${ages.q25}`],
    [`¼ over ${ages.q75}`, `¼ under ${ages.q25}`],
  ].find((pair) => youngest - oldest > 8 && fitsOutward(pair, oldest, youngest, frame));
  const quartilesFrom = LOWER_ROW + (words ? -10 : 6); // beside their own words, else below those of the median
  return (
    <g>
      <g class="quartile">
        <Rule at={oldest} from={quartilesFrom} frame={frame} />
        <Rule at={youngest} from={quartilesFrom} frame={frame} />
        {words ? (
          <>
            <Words at={oldest - BESIDE} row={LOWER_ROW} words={words[0]} anchor="end" />
            <Words at={youngest + BESIDE} row={LOWER_ROW} words={words[1]} anchor="start" />
          </>
        ) : (
          <HalfBetween at={(oldest + youngest) / 2} words={`half are ${ages.q25} to ${ages.q75}`} frame={frame} />
        )}
      </g>
      <Median at={middle} row={words ? UPPER_ROW : LOWER_ROW} words={`median ${ages.median}`} frame={frame} />
    </g>
  );
}

/** Beside the rules, away from each other; the margins may be written on, too. */
const fitsOutward = ([over, under]: readonly string[], oldest: number, youngest: number, frame: Frame): boolean =>
  oldest - BESIDE - over.length * CHARACTER > 4 && youngest + BESIDE + under.length * CHARACTER < frame.right + 10;

interface RuleProps {
  readonly at: number;
  readonly words: string;
  readonly frame: Frame;
}

const Rule = ({ at, from, frame }: { readonly at: number; readonly from: number; readonly frame: Frame }): VNode => (
  <line x1={tenth(at)} x2={tenth(at)} y1={from} y2={frame.bottom} />
);

const Words = ({
  at,
  row,
  words,
  anchor,
}: {
  readonly at: number;
  readonly row: number;
  readonly words: string;
  readonly anchor: 'start' | 'middle' | 'end';
}): VNode => (
  <text x={tenth(at)} y={row} text-anchor={anchor}>
    {words}
  </text>
);

/** Centred on a place, but inside the plot. */
const inside = (at: number, half: number, { left, right }: Frame): number =>
  Math.min(Math.max(at, left + half), right - half);

const HalfBetween = ({ at, words, frame }: RuleProps): VNode => (
  <Words at={inside(at, (words.length * CHARACTER) / 2, frame)} row={UPPER_ROW} words={words} anchor="middle" />
);

const Median = ({ at, row, words, frame }: RuleProps & { readonly row: number }): VNode => (
  <g class="median">
    <Rule at={at} from={row + 6} frame={frame} />
    <Words at={inside(at, (words.length * BOLD_CHARACTER) / 2, frame)} row={row} words={words} anchor="middle" />
  </g>
);
