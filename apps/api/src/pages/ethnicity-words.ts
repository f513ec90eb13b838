import { type Race } from '@donorlens/demographics';
import { type CensusAnswer, type EthnicityAnswer, type GroupShare, shareOf } from '../lookups/ethnicity-answer';
import { type HeadlinePart, plain, strong } from './headline';

/** The groups of the surname files. Hispanics may be of any race; all other groups count those who are not Hispanic. */
export const GROUPS: Readonly<Record<Race, string>> = {
  white: 'White',
  black: 'Black',
  hispanic: 'Hispanic',
  api: 'Asian or Pacific Islander',
  aian: 'American Indian or Alaska Native',
  '2prace': 'of two or more races',
};

/** `Of two or more races`, where a line begins with it. */
export const groupLabel = (group: Race): string => GROUPS[group].replace(/^o/, 'O');

/** The files publish hundredths of a percent. */
export const inPercent = (percent: number): string => `${percent} %`;

export function ethnicityHeadline(answer: EthnicityAnswer, isSample: boolean): HeadlinePart[] {
  const { surname, census, asked } = answer;
  const called = strong(surname.trim() === '' ? '(blank)' : surname);
  if (asked === null)
    return [
      plain('The surname '),
      called,
      plain(
        isSample
          ? ' is not in the sample, so it has no ethnicity here.'
          : ` is not among those that the census of ${census} lists, so it has no ethnicity here.`,
      ),
    ];
  const largest = asked.race === null ? undefined : shareOf(asked, asked.race);
  if (largest === undefined)
    return [
      plain(`The census of ${census} withholds every share of the surname `),
      called,
      plain(', so it has no ethnicity here.'),
    ];
  return [
    plain('Of the people with the surname '),
    called,
    plain(', '),
    strong(inPercent(largest.percent)),
    plain(` said in the census of ${census} that they are `),
    strong(GROUPS[largest.group]),
    plain(`${addition(asked, largest)}.`),
  ];
}

/** What keeps the largest group from being a clear majority. */
function addition(asked: CensusAnswer, { group, percent }: GroupShare): string {
  const equals = asked.shares.filter((one) => one.group !== group && one.percent === percent && !one.isSuppressed);
  if (equals.length > 0) return `, and as many ${equals.map((one) => GROUPS[one.group]).join(' and ')}`;
  return percent <= 50 ? ': the largest group, but not more than half' : '';
}
