import { type Race } from '@donorlens/demographics';
import { type EthnicityAnswer, shareOf } from '../../lookups/ethnicity-results';
import { type HeadlinePart, plain, strong } from '../layout/headline';

/** The groups of the surname files. Hispanics may be of any race; all other groups count those who are not Hispanic. */
export const GROUPS: Readonly<Record<Race, string>> = {
  white: 'White',
  black: 'Black',
  hispanic: 'Hispanic',
  api: 'Asian or Pacific Islander',
  aian: 'American Indian or Alaska Native',
  '2prace': 'Two or more races',
};

/** The files publish hundredths of a percent. */
export const inPercent = (percent: number): string => `${percent}%`;

/** The largest group of the surname, in one sentence. */
export function ethnicityHeadline(answer: EthnicityAnswer, isSample: boolean): HeadlinePart[] {
  const { surname, census, requested } = answer;
  const shown = strong(surname.trim() === '' ? '(blank)' : surname);
  if (requested === null)
    return [
      plain('The surname '),
      shown,
      plain(isSample ? ' is not in the sample data' : ` is not in the ${census} Census surname list`),
    ];
  const largest = requested.race === null ? undefined : shareOf(requested, requested.race);
  if (largest === undefined) return [plain(`The ${census} Census suppresses all shares of the surname `), shown];
  return [
    strong(inPercent(largest.percent)),
    plain(' of people named '),
    shown,
    plain(' identified as '),
    strong(GROUPS[largest.group]),
    plain(` in ${census}`),
  ];
}

/** What the headline does not state: no result, a tie, or no majority. */
export function ethnicitySubtitle({ requested }: EthnicityAnswer): string {
  const largest = requested === null || requested.race === null ? undefined : shareOf(requested, requested.race);
  if (requested === null || largest === undefined) return 'Donorlens has no ethnicity for it.';
  const ties = requested.shares.filter(
    ({ group, percent, isSuppressed }) => group !== largest.group && percent === largest.percent && !isSuppressed,
  );
  if (ties.length > 0)
    return `${ties.map(({ group }) => GROUPS[group]).join(' and ')} ${ties.length === 1 ? 'has' : 'have'} the same share.`;
  return largest.percent <= 50 ? 'This is the largest group, but not a majority.' : '';
}
