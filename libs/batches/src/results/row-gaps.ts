import { type Batch } from '../batch';

/** Rows may be missing between those that are given: results then say which row each one is. */
export const mayHaveGaps = ({ state }: Batch): boolean => state !== 'completed';
