/** Preloaded in a worker (node -r): enriching a row fails in different ways for a few surnames that do not exist. */
import { type Contribution } from '@donorlens/enrichment';

type Enrich = (contribution: Contribution, ...rest: readonly unknown[]) => void;

const FAULTS: Readonly<Record<string, () => void>> = {
  THROWSATONCE: () => {
    throw new Error('injected fault');
  },
  LOOPSFOREVER: () => {
    for (;;);
  },
  EATSMEMORY: () => {
    for (const held: string[][] = []; ;) held.push(Array.from({ length: 65_536 }, (_, at) => `${at}.${held.length}`));
  },
  EXITSPROCESS: () => process.exit(0),
};

function misbehave(): void {
  const file = require.resolve('../../../libs/enrichment/src/enrich-contribution');
  // oxlint-disable-next-line typescript/no-require-imports -- loads the file before other modules import it
  const original = require(file) as { readonly enrichContribution: Enrich };
  const enrichContribution: Enrich = (contribution, ...rest) => {
    const surname = contribution.surname ?? '';
    if (Object.hasOwn(FAULTS, surname)) FAULTS[surname]();
    original.enrichContribution(contribution, ...rest);
  };
  const loaded = require.cache[file];
  if (loaded) loaded.exports = { ...original, enrichContribution }; // later imports receive this function
}

if (process.argv[1]?.includes('apps/worker')) misbehave();
