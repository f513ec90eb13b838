import { commonCycle } from './compare.controller';

it.each([
  [[[2012, 2016], [2016, 2020], [2016]], 2016],
  [
    [
      [2012, 2016],
      [2012, 2016],
    ],
    2016,
  ],
  [[[2012], [2016]], 2016],
  [[[], []], null],
])('the compared cycle of %j is the newest of those that most have: %s', (lists, cycle) => {
  expect(commonCycle(lists)).toBe(cycle);
});
