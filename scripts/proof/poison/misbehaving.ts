/**
 * Loaded ahead of a worker by `node -r`: its function that enriches a row does, for a few surnames that nobody has, what
 * a fault of ours might do for one row in a million.
 */
import { type Contribution } from '@donorlens/enrichment';
import { type PoisonName } from './poisons';

type Enrich = (contribution: Contribution, ...rest: readonly unknown[]) => void;

const FAULTS: Readonly<Record<PoisonName, () => void>> = {
  THROWSATONCE: () => {
    throw new Error('made up');
  },
  LOOPSFOREVER: () => {
    for (;;);
  },
  EATSMEMORY: () => {
    for (const kept: string[][] = []; ;) kept.push(Array.from({ length: 65_536 }, (_, at) => `${at}.${kept.length}`));
  },
  EXITSPROCESS: () => process.exit(0),
};

function misbehave(): void {
  const file = require.resolve('../../../libs/enrichment/src/enrich-contribution');
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- before anybody imports it, and by its file
  const original = require(file) as { readonly enrichContribution: Enrich };
  const enrichContribution: Enrich = (contribution, ...rest) => {
    const surname = contribution.surname ?? '';
    if (Object.hasOwn(FAULTS, surname)) FAULTS[surname as PoisonName]();
    original.enrichContribution(contribution, ...rest);
  };
  const loaded = require.cache[file];
  if (loaded) loaded.exports = { ...original, enrichContribution }; // for whoever asks for it from now on
}

if (process.argv[1]?.includes('apps/worker')) misbehave();
