import { type VNode } from 'preact';
import {
  type CensusAnswer,
  comparable,
  type EthnicityAnswer,
  type GroupShare,
  shareOf,
} from '../lookups/ethnicity-answer';
import { groupLabel, inPercent } from './ethnicity-words';

const cell = (share: GroupShare | undefined): string => {
  if (share === undefined) return '';
  return share.isSuppressed ? `withheld (${inPercent(share.percent)})` : inPercent(share.percent);
};

interface TableProps {
  readonly answer: EthnicityAnswer;
  readonly asked: CensusAnswer;
}

/** The numbers behind the bars, both censuses side by side where both have the surname. */
export function EthnicityTable({ answer, asked }: TableProps): VNode {
  const before = comparable(answer);
  const columns = before ? [asked, before].sort((a, b) => a.census - b.census) : [asked];
  const isAnyWithheld = columns.some(({ shares }) => shares.some(({ isSuppressed }) => isSuppressed));
  return (
    <section>
      <div class="scroll shares" tabIndex={0} role="region" aria-label="Shares by group">
        <table>
          <thead>
            <tr>
              <th scope="col">Group</th>
              {columns.map(({ census }) => (
                <th scope="col">Census of {census}</th>
              ))}
              <th scope="col">Field</th>
            </tr>
          </thead>
          <tbody>
            {asked.shares.map(({ group }) => (
              <tr>
                <th scope="row">{groupLabel(group)}</th>
                {columns.map((column) => (
                  <td>{cell(shareOf(column, group))}</td>
                ))}
                <td>
                  <code>pct{group}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isAnyWithheld && (
        <p class="quiet">
          <strong>Withheld:</strong> the census does not publish shares of very few people. What the published ones
          leave of 100 % is spread evenly over the withheld ones, and none of those ever names the ethnicity.
        </p>
      )}
    </section>
  );
}
