import { type Mutant } from './stryker';

/** Changes that no test of a group can or need notice. */
interface Known {
  readonly file: string;
  /** Code that was changed, its begin where it is long; all of the file where it is not said. */
  readonly original?: string;
  /** What it was changed to; anything where it is not said. */
  readonly replacement?: string;
  readonly why: string;
}

const BATCHES = 'libs/batches/src';

const KNOWN: readonly Known[] = [
  {
    file: `${BATCHES}/batch-state.ts`,
    original: "'finished_at = now(), expires_at = now() + (expires_at - created_at)'",
    why: 'SQL, which the specs of the repositories run on a database',
  },
  {
    file: `${BATCHES}/batch-state.ts`,
    original: '[]',
    why: 'a state that is none is among the states of nothing',
  },
  {
    file: `${BATCHES}/progress.ts`,
    original: 'rate < 10',
    replacement: 'rate <= 10',
    why: 'ten is ten, rounded to hundredths or to whole rows',
  },
];

export const reasonFor = (mutant: Mutant): string | undefined =>
  KNOWN.find(
    ({ file, original = '', replacement }) =>
      file === mutant.file &&
      mutant.original.startsWith(original) &&
      (replacement === undefined || replacement === mutant.replacement),
  )?.why;
