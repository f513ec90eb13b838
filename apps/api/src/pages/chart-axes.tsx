import { type VNode } from 'preact';
import { AGE_ROW, type Frame, isWide, tenth } from './chart-frame';
import { ageTicks, type ChartData } from './chart-geometry';

/** How many were born or live, on the left. */
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

/** Years of birth, below. */
export function YearAxis({ frame }: { readonly frame: Frame }): VNode {
  const { x, left, right, bottom } = frame;
  const ticks = x.ticks(isWide(frame) ? 9 : 5).filter((tick) => Number.isInteger(tick));
  return (
    <g class="axis">
      {ticks.map((tick) => (
        <g>
          <line class="tick" x1={tenth(x(tick))} x2={tenth(x(tick))} y1={bottom} y2={bottom + 5} />
          <text x={tenth(x(tick))} y={bottom + 18} text-anchor="middle">
            {tick}
          </text>
        </g>
      ))}
      <text class="axis-title" x={(left + right) / 2} y={bottom + 36} text-anchor="middle">
        year of birth
      </text>
    </g>
  );
}

/** The same axis as ages at the date asked, above. */
export function AgeAxis({ data, frame }: { readonly data: ChartData; readonly frame: Frame }): VNode {
  const { x, left, right } = frame;
  const line = AGE_ROW + 11;
  const placeOf = (age: number): number => tenth(x(data.date - age));
  const ages = ageTicks(data, x.domain()[0], isWide(frame) ? 12 : 7).filter((age) => placeOf(age) > left + 12);
  return (
    <g class="axis">
      <text class="axis-title" x={left - 7} y={AGE_ROW} text-anchor="end">
        age
      </text>
      {ages.map((age) => (
        <g>
          <line class="grid" x1={placeOf(age)} x2={placeOf(age)} y1={line - 5} y2={line} />
          <text x={placeOf(age)} y={AGE_ROW} text-anchor="middle">
            {age}
          </text>
        </g>
      ))}
      <line class="grid" x1={left} x2={right} y1={line} y2={line} />
    </g>
  );
}
