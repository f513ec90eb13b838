import { scaleLinear } from 'd3-scale';
import { type VNode } from 'preact';
import {
  type CensusAnswer,
  comparable,
  type EthnicityAnswer,
  type GroupShare,
  shareOf,
} from '../../lookups/ethnicity-results';
import { type BarsSize } from '../layout/bar-chart';
import { Picture, type PictureProps, tenth } from '../layout/picture';
import { GROUPS, inPercent } from './ethnicity-labels';

const BAR = 18;
const SECOND_BAR = 11;
const GAP = 14;
const NAME_LINE = 18;
/** Width of the figures right of the longest bar, such as `99.99% in 2010`, and approximately of a bold character. */
const FIGURES = 114;
const CHARACTER = 7.5;

interface ChartProps extends PictureProps {
  readonly answer: EthnicityAnswer;
  readonly requested: CensusAnswer;
  readonly size: BarsSize;
}

/** The six groups as bars, the largest first, each with a thinner bar of the other census if it lists the surname. */
export function EthnicityChart({ answer, requested, size, ...picture }: ChartProps): VNode {
  const before = comparable(answer);
  const groups = [...requested.shares].sort((a, b) => b.percent - a.percent);
  const rowHeight = (size.names > 0 ? 0 : NAME_LINE) + BAR + (before ? SECOND_BAR + 2 : 0) + GAP;
  const height = groups.length * rowHeight;
  return (
    <Picture {...picture} class="chart bars" size={{ width: size.width, height }}>
      {groups.map((share, row) => (
        <Group
          share={share}
          before={before && (shareOf(before, share.group) ?? null)}
          years={row === 0 && before ? [requested.census, before.census] : null}
          top={row * rowHeight}
          size={size}
        />
      ))}
      <line class="base" x1={size.names} x2={size.names} y1={0} y2={height - GAP / 2} />
    </Picture>
  );
}

interface GroupProps {
  readonly share: GroupShare;
  readonly before: GroupShare | null;
  /** Censuses of the two bars; only the first group is labeled with them. */
  readonly years: readonly [number, number] | null;
  readonly top: number;
  readonly size: BarsSize;
}

function Group({ share, before, years, top, size }: GroupProps): VNode {
  const beside = size.names > 0;
  const at = top + (beside ? 0 : NAME_LINE);
  return (
    <g>
      <text
        class="group"
        x={beside ? size.names - 8 : 4}
        y={beside ? at + BAR - 5 : at - 5}
        text-anchor={beside ? 'end' : 'start'}
      >
        {GROUPS[share.group]}
      </text>
      <Bar share={share} year={years?.[0]} at={at} height={BAR} size={size} />
      {before && <Bar share={before} year={years?.[1]} at={at + BAR + 2} height={SECOND_BAR} size={size} isSecond />}
    </g>
  );
}

interface BarProps {
  readonly share: GroupShare;
  readonly year: number | undefined;
  readonly at: number;
  readonly height: number;
  readonly size: BarsSize;
  readonly isSecond?: boolean;
}

function Bar({ share, year, at, height, size, isSecond = false }: BarProps): VNode {
  const x = scaleLinear([0, 100], [size.names, size.width - FIGURES]);
  const end = x(Math.min(100, share.percent));
  const text = share.isSuppressed
    ? `suppressed, about ${inPercent(share.percent)}`
    : `${inPercent(share.percent)}${year === undefined ? '' : ` in ${year}`}`;
  const fits = end + 7 + text.length * CHARACTER < size.width;
  const kind = share.isSuppressed ? 'withheld' : isSecond ? 'second' : 'first';
  return (
    <g class={kind}>
      <rect x={size.names} y={at} width={tenth(end - size.names)} height={height} />
      <text
        class={isSecond ? undefined : 'value'}
        x={fits ? tenth(end + 7) : size.width}
        y={at + height / 2 + 4}
        text-anchor={fits ? 'start' : 'end'}
      >
        {text}
      </text>
    </g>
  );
}

const cell = (share: GroupShare | undefined): string => {
  if (share === undefined) return '';
  return share.isSuppressed ? `suppressed (${inPercent(share.percent)})` : inPercent(share.percent);
};

interface TableProps {
  readonly answer: EthnicityAnswer;
  readonly requested: CensusAnswer;
}

/** The shares as a table, with both censuses if both list the surname. */
export function EthnicityTable({ answer, requested }: TableProps): VNode {
  const before = comparable(answer);
  const columns = before ? [requested, before].sort((a, b) => a.census - b.census) : [requested];
  const hasSuppressed = columns.some(({ shares }) => shares.some(({ isSuppressed }) => isSuppressed));
  return (
    <section>
      <div class="scroll shares" tabIndex={0} role="region" aria-label="Shares by group">
        <table>
          <thead>
            <tr>
              <th scope="col">Group</th>
              {columns.map(({ census }) => (
                <th scope="col">{census} Census</th>
              ))}
              <th scope="col" class="field">
                Field
              </th>
            </tr>
          </thead>
          <tbody>
            {requested.shares.map(({ group }) => (
              <tr>
                <th scope="row">{GROUPS[group]}</th>
                {columns.map((column) => (
                  <td>{cell(shareOf(column, group))}</td>
                ))}
                <td class="field">
                  <code>pct{group}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hasSuppressed && (
        <p class="quiet">
          <strong>Suppressed:</strong> the Census Bureau does not publish shares of very few people. Donorlens divides
          the rest of 100% evenly among the suppressed groups, and never reports one of them as the ethnicity.
        </p>
      )}
    </section>
  );
}
