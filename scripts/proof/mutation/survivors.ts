import { type Mutant } from './stryker';

/** Changes that no test of a group can or need notice, and why. */
const KNOWN: readonly (Pick<Mutant, 'file' | 'original' | 'replacement'> & { readonly why: string })[] = [
  {
    file: 'libs/batches/src/batch-state.ts',
    original: "'finished_at = now(), expires_at = now() + (expires_at - created_at)'",
    replacement: '""',
    why: 'SQL: the specs of the repositories run it on a database',
  },
  {
    file: 'libs/batches/src/batch-state.ts',
    original: '[]',
    replacement: '["Stryker was here"]',
    why: 'a state that is none is among the states of nothing',
  },
  {
    file: 'libs/batches/src/progress.ts',
    original: 'rate < 10',
    replacement: 'rate <= 10',
    why: 'ten is ten, rounded to hundredths or to whole rows',
  },
];

const same = (one: Pick<Mutant, 'file' | 'original' | 'replacement'>, other: typeof one): boolean =>
  one.file === other.file && one.original === other.original && one.replacement === other.replacement;

export const reasonFor = (mutant: Mutant): string | undefined => KNOWN.find((known) => same(known, mutant))?.why;
