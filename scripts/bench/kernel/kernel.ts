import { parseArgs } from 'node:util';
import { openRelease } from '@donorlens/reference-data';
import { type Part } from '../../proof/report';
import { reportOf } from '../lines';
import { compiledRelease } from '../people';
import { saying } from '../progress';
import { ageLines } from './ages';
import { freshProcessLines } from './fresh-process';
import { surnameLines } from './surnames';

/** Look-ups in the memory of one process. */
export const kernel: Part = {
  what: 'look-ups in memory: --rounds N --surnames N',
  async run(args) {
    const { values } = parseArgs({
      args: [...args],
      options: { rounds: { type: 'string', default: '9' }, surnames: { type: 'string', default: '1000000' } },
    });
    const rounds = Number(values.rounds);
    const bytes = await compiledRelease();
    const release = openRelease(bytes);
    const ages = await saying('the floor of age and gender is worked out', () => ageLines(release, rounds));
    const surnames = await surnameLines(release, Number(values.surnames), rounds);
    const fresh = await freshProcessLines(bytes, rounds);
    return reportOf([...ages, ...surnames, ...fresh], {
      notes: [
        'A ratio is that of two times of one round, ours by the other’s: 1 is as fast as the floor, 0.01 of the direct sum a hundred times as fast as it. Every answer of every round is compared; each round asks with strings of its own.',
      ],
      versions: [`data ${release.id}`],
    });
  },
};
