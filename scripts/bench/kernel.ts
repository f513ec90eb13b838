import { type Demographics } from '@donorlens/demographics';
import { donorWeighted } from './people';
import { nsPerItem, report } from './measure';

const QUERIES = 100_000;

/** Age and gender in process: fold the name, find it, answer from the step table; against the direct sum. */
export function benchKernel({ ages }: Demographics): void {
  const { names, days } = donorWeighted(QUERIES);
  let sink = 0;
  const both = () => {
    for (let i = 0; i < QUERIES; i++) {
      const at = ages.nameIndex(names[i]);
      if (at >= 0) sink += ages.ageAt(at, days[i]) + (ages.genderOf(at, days[i]) === 'f' ? 1 : 0);
    }
  };
  both();
  const fast = nsPerItem(QUERIES, 9, both);
  const direct = nsPerItem(QUERIES, 3, () => {
    for (let i = 0; i < QUERIES; i++) {
      const at = ages.nameIndex(names[i]);
      if (at >= 0) sink += ages.ageDirect(at, days[i]);
    }
  });
  let different = 0;
  for (let i = 0; i < QUERIES; i++) {
    const at = ages.nameIndex(names[i]);
    if (at >= 0 && ages.ageAt(at, days[i]) !== ages.ageDirect(at, days[i])) different++;
  }
  report(
    'age + gender of a donor-weighted (name, date)',
    `${fast.toFixed(0)} ns`,
    `${(fast / direct).toFixed(2)} of the direct sum`,
  );
  report('  of these, different from the direct sum', `${different} of ${QUERIES}`, sink === -1 ? '!' : '');
}
