import { openRelease } from '@donorlens/reference-data';
import { whole } from '../../proof/options';
import { part } from '../../proof/report';
import { reportOf } from '../lines';
import { compiledRelease } from '../people';
import { saying } from '../progress';
import { ageLines } from './ages';
import { freshProcessLines } from './fresh-process';
import { surnameLines } from './surnames';

/** Look-ups in the memory of one process. */
export const kernel = part({
  what: 'look-ups in memory',
  options: { rounds: whole(9, 1), surnames: whole(1_000_000, 1) },
  async run({ rounds, surnames: count }) {
    const bytes = await compiledRelease();
    const release = openRelease(bytes);
    const ages = await saying('the floor of age and gender is worked out', () => ageLines(release, rounds));
    const surnames = await surnameLines(release, count, rounds);
    const fresh = await freshProcessLines(bytes, rounds);
    return reportOf([...ages, ...surnames, ...fresh], {
      notes: [
        'A ratio is that of two times of one round, ours by the other’s: 1 is as fast as the floor, 0.01 of the direct sum a hundred times as fast as it. Every answer of every round is compared; each round asks with strings of its own.',
      ],
      versions: [`data ${release.id}`],
    });
  },
});
