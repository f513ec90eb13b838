import { performance } from 'node:perf_hooks';

/** Something that a clone needed before it could start. */
export interface Preparation {
  readonly what: string;
  readonly ms: number;
}

/** Of the measures that bin/prepare.js leaves in this process. */
const PREFIX = 'donorlens ';

/** What was installed and built since the process began, in order. */
export const preparations = (): Preparation[] =>
  performance
    .getEntriesByType('measure')
    .filter(({ name }) => name.startsWith(PREFIX))
    .map(({ name, duration }) => ({ what: name.slice(PREFIX.length), ms: duration }));
