import { line } from 'd3-shape';
import { type VNode } from 'preact';
import { civilDay, firstDayOfCycle } from '@donorlens/primitives';
import { type DonorLine, lastOf } from '../../../charts/donor-series';
import { count } from '../../layout/labels';
import { type ChartSize, CountAxis, type Frame, Picture, type PictureProps, tenth } from '../../layout/picture';
import { fitting, type Label } from '../chart-labels';
import { daysOf, simplifyLine, electionDay, linesFrame, spreadLabels } from './lines-geometry';

interface LinesChartProps extends PictureProps {
  /** most donors first */
  readonly lines: readonly DonorLine[];
  /** a name for each line */
  readonly labels: readonly Label[];
  readonly size: ChartSize;
}

/** A labeled line for each candidate and cycle, each with its own color and pattern. */
export function LinesChart({ lines, labels, size, ...picture }: LinesChartProps): VNode {
  const frame = linesFrame(lines, size);
  return (
    <Picture {...picture} size={size} frames={[frame]}>
      <CountAxis frame={frame} />
      <CycleAxis cycles={lines.map(({ cycle }) => cycle)} frame={frame} />
      {[...lines.entries()].reverse().map(([at, one]) => (
        <path class={`series series-${at}`} data-series={at} d={pathOf(one, frame)} />
      ))}
      <Ends lines={lines} labels={labels} frame={frame} width={size.width} />
    </Picture>
  );
}

function pathOf({ donors }: DonorLine, { x, y }: Frame): string | undefined {
  const [base, perDonor] = [y(0), y(1) - y(0)]; // calling the scale for each day is slow
  const heights = donors.map((people) => base + people * perDonor);
  const path = line<number>(
    (day) => tenth(x(day)),
    (day) => tenth(heights[day]),
  );
  return path(simplifyLine(heights)) ?? undefined;
}

/** Minimum distance of two labels with one and with two lines, and approximate width of a capital letter. */
const GAP = 16;
const TWO_LINES = 30;
const CHARACTER = 9.2;

interface EndsProps extends Pick<LinesChartProps, 'lines' | 'labels'> {
  readonly frame: Frame;
  readonly width: number;
}

/**
 * A dot at the end of each line, and its label as near to the dot as the other labels allow. All labels start where the
 * longest line ends, which may be early in a cycle. Leader lines have a different style than the lines of the chart.
 */
function Ends({ lines, labels, frame: { x, y, top, bottom }, width }: EndsProps): VNode {
  const column = x(Math.max(...lines.map(({ donors }) => donors.length)) - 1);
  const heights = lines.map((one) => y(lastOf(one)));
  const most = (width - column - 18) / CHARACTER;
  const isRoomy = most > 15;
  const isBelow = !isRoomy && lines.length * TWO_LINES <= bottom - top;
  const lowest = bottom - GAP / 2 - (isBelow ? GAP : 0); // above the axis
  const rows = spreadLabels(heights, isBelow ? TWO_LINES : GAP, top, lowest);
  return (
    <g>
      {lines.map((one, at) => {
        const [end, height, row] = [tenth(x(one.donors.length - 1)), tenth(heights[at]), tenth(rows[at])];
        const { name, cycle } = labels[at];
        const suffix = cycle === null ? '' : isRoomy ? ` ${cycle}` : ` ’${String(cycle).slice(2)}`;
        const number = isRoomy ? ` ${count(lastOf(one))}` : '';
        const [nameX, nameY] = [tenth(column + 15), tenth(row + 4)];
        return (
          <g data-series={at}>
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

const QUARTERS = ['Jan', 'Apr', 'Jul', 'Oct'] as const;

interface CycleAxisProps {
  readonly cycles: readonly number[];
  readonly frame: Frame;
}

/** Months and years of the cycle; `first year` and `second year` if there are several cycles. */
export function CycleAxis({ cycles, frame }: CycleAxisProps): VNode {
  const [cycle] = [...cycles].sort((a, b) => daysOf(b) - daysOf(a));
  const isOne = cycles.every((other) => other === cycle);
  const years = isOne ? [cycle - 1, cycle] : ['first year', 'second year'];
  const { x, right, left, bottom } = frame;
  const step = right - left > 400 ? 1 : 2;
  const ticks = [cycle - 1, cycle].flatMap((year) =>
    QUARTERS.map((label, at) => ({ label, at, day: civilDay(year, at * 3 + 1, 1) - firstDayOfCycle(cycle) })),
  );
  return (
    <g class="axis">
      {ticks
        .filter(({ at }) => at % step === 0)
        .map(({ label, day }) => (
          <g>
            <line class="tick" x1={tenth(x(day))} x2={tenth(x(day))} y1={bottom} y2={bottom + 5} />
            <text x={tenth(x(day))} y={bottom + 18} text-anchor="middle">
              {label}
            </text>
          </g>
        ))}
      {years.map((label, at) => (
        <text
          class="axis-title"
          x={tenth(left + ((right - left) * (1 + 2 * at)) / 4)}
          y={bottom + 36}
          text-anchor="middle"
        >
          {label}
        </text>
      ))}
      <Election day={isOne ? electionDay(cycle) : null} frame={frame} />
    </g>
  );
}

const Election = ({
  day,
  frame: { x, top, bottom },
}: Pick<CycleAxisProps, 'frame'> & { readonly day: number | null }): VNode | null =>
  day === null ? null : (
    <g class="election">
      <line x1={tenth(x(day))} x2={tenth(x(day))} y1={top - 8} y2={bottom} />
      <text x={tenth(x(day))} y={top - 13} text-anchor="middle">
        election
      </text>
    </g>
  );
