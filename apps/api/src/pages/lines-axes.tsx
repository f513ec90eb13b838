import { civilDay, firstDayOfCycle } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { type Frame, tenth } from './chart-frame';
import { daysOf, electionDay } from './lines-frame';

const QUARTERS = ['Jan', 'Apr', 'Jul', 'Oct'] as const;

interface CycleAxisProps {
  readonly cycles: readonly number[];
  readonly frame: Frame;
}

/** Months of the cycle, and its years by their number where all lines are of one cycle. */
export function CycleAxis({ cycles, frame }: CycleAxisProps): VNode {
  const [cycle] = [...cycles].sort((a, b) => daysOf(b) - daysOf(a));
  const isOne = cycles.every((other) => other === cycle);
  const years = isOne ? [cycle - 1, cycle] : ['first year', 'second year'];
  const { x, right, left, bottom } = frame;
  const step = right - left > 400 ? 1 : 2;
  const ticks = [cycle - 1, cycle].flatMap((year) =>
    QUARTERS.map((words, at) => ({ words, at, day: civilDay(year, at * 3 + 1, 1) - firstDayOfCycle(cycle) })),
  );
  return (
    <g class="axis">
      {ticks
        .filter(({ at }) => at % step === 0)
        .map(({ words, day }) => (
          <g>
            <line class="tick" x1={tenth(x(day))} x2={tenth(x(day))} y1={bottom} y2={bottom + 5} />
            <text x={tenth(x(day))} y={bottom + 18} text-anchor="middle">
              {words}
            </text>
          </g>
        ))}
      {years.map((words, at) => (
        <text
          class="axis-title"
          x={tenth(left + ((right - left) * (1 + 2 * at)) / 4)}
          y={bottom + 36}
          text-anchor="middle"
        >
          {words}
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
