/** What a row does to the worker that enriches it, by the surname that makes it do so. */
export const POISONS = {
  THROWSATONCE: 'throws',
  LOOPSFOREVER: 'loops for ever',
  EATSMEMORY: 'exhausts memory',
  EXITSPROCESS: 'exits the process',
} as const;
export type PoisonName = keyof typeof POISONS;
export const POISON_NAMES = Object.keys(POISONS) as PoisonName[];
