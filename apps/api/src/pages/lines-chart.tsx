import { line } from 'd3-shape';
import { type VNode } from 'preact';
import { type DonorLine, lastOf } from '../data-charts/donor-lines';
import { CountAxis } from './chart-axes';
import { type ChartSize, type Frame, tenth } from './chart-frame';
import { daysToDraw } from './days-to-draw';
import { fitting, type Label } from './drawn-names';
import { CycleAxis } from './lines-axes';
import { linesFrame } from './lines-frame';
import { Picture, type PictureProps } from './picture';
import { spread } from './spread';
import { count } from './words';

interface LinesChartProps extends PictureProps {
  /** most donors first */
  readonly lines: readonly DonorLine[];
  /** a name for each line */
  readonly labels: readonly Label[];
  readonly size: ChartSize;
}

/** A line for each candidate and cycle, named at its end; each has a colour and a pattern of its own. */
export function LinesChart({ lines, labels, size, ...picture }: LinesChartProps): VNode {
  const frame = linesFrame(lines, size);
  return (
    <Picture {...picture} size={size}>
      <CountAxis frame={frame} />
      <CycleAxis cycles={lines.map(({ cycle }) => cycle)} frame={frame} />
      {[...lines.entries()].reverse().map(([at, one]) => (
        <path class={`series series-${at}`} d={pathOf(one, frame)} />
      ))}
      <Ends lines={lines} labels={labels} frame={frame} width={size.width} />
    </Picture>
  );
}

function pathOf({ donors }: DonorLine, { x, y }: Frame): string | undefined {
  const [base, perDonor] = [y(0), y(1) - y(0)]; // a scale is slow where it is asked for each day
  const heights = donors.map((people) => base + people * perDonor);
  const path = line<number>(
    (day) => tenth(x(day)),
    (day) => tenth(heights[day]),
  );
  return path(daysToDraw(heights)) ?? undefined;
}

/** Least distance of two names, on one line and with the number on another, and about the width of a capital: masters are in capitals. */
const GAP = 16;
const TWO_LINES = 30;
const CHARACTER = 9.2;

interface EndsProps extends Pick<LinesChartProps, 'lines' | 'labels'> {
  readonly frame: Frame;
  readonly width: number;
}

/**
 * Where lines end: a dot, and the name as near to it as its neighbours allow. Names stand where the last line ends, which
 * may be early in a cycle; what leads to them from a line that ends before is no line of the chart, and does not look like one.
 */
function Ends({ lines, labels, frame: { x, y, top, bottom }, width }: EndsProps): VNode {
  const column = x(Math.max(...lines.map(({ donors }) => donors.length)) - 1);
  const heights = lines.map((one) => y(lastOf(one)));
  const most = (width - column - 18) / CHARACTER;
  const isRoomy = most > 15;
  const isBelow = !isRoomy && lines.length * TWO_LINES <= bottom - top;
  const rows = spread(heights, isBelow ? TWO_LINES : GAP, top, isBelow ? bottom - GAP : bottom);
  return (
    <g>
      {lines.map((one, at) => {
        const [end, height, row] = [tenth(x(one.donors.length - 1)), tenth(heights[at]), tenth(rows[at])];
        const { name, cycle } = labels[at];
        const suffix = cycle === null ? '' : isRoomy ? ` ${cycle}` : ` ’${String(cycle).slice(2)}`;
        const number = isRoomy ? ` ${count(lastOf(one))}` : '';
        const [nameX, nameY] = [tenth(column + 15), tenth(row + 4)];
        return (
          <g>
            <path class="leader" d={`M${end},${height}H${tenth(column)}L${tenth(column + 12)},${row}`} />
            <circle class={`end series-${at}`} cx={end} cy={height} r="3" />
            <text class="name" x={nameX} y={nameY}>
              {fitting(name, most - suffix.length - number.length)}
              {suffix}
              {isRoomy && <tspan class="count">{number}</tspan>}
              {isBelow && (
                <tspan class="count" x={nameX} y={tenth(nameY + 13)}>
                  {count(lastOf(one))}
                </tspan>
              )}
            </text>
          </g>
        );
      })}
    </g>
  );
}
