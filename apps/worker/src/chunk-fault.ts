import { TallyMismatchError } from '@donorlens/batches';
import { ChunkMismatchError } from '@donorlens/enrichment';
import { ReleaseFormatError, UnknownReleaseError } from '@donorlens/reference-data';
import { isWeather } from './weather';

/** What becomes of a chunk whose run threw. */
export type ChunkFault =
  | { readonly kind: 'fatal'; readonly errorCode: string }
  | { readonly kind: 'counted'; readonly retryMs: number }
  | { readonly kind: 'weather'; readonly retryMs: number };

const WEATHER_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 60_000;
/** 4 s doubled each time: two minutes, in which a rolling upgrade brings a worker that reads the new format. */
const RUNS_FOR_FORMAT = 6;
/** The same goes on for some six minutes: long enough for an operator to mend what is wrong with the database. */
const RUNS_FOR_ANYTHING = 10;

/**
 * Sorts what a chunk's run threw. What will never pass fails the batch at once; the weather (a database, disk or network
 * that is away) is waited for and does not count; the rest may pass, so it counts as a run, and the runs have an end.
 * @param runs of the chunk so far, this one included
 */
export function chunkFault(error: unknown, runs: number): ChunkFault {
  if (error instanceof ChunkMismatchError) return { kind: 'fatal', errorCode: 'unreadable_input' };
  if (error instanceof TallyMismatchError || error instanceof UnknownReleaseError)
    return { kind: 'fatal', errorCode: error.code };
  if (error instanceof ReleaseFormatError && runs >= RUNS_FOR_FORMAT) return { kind: 'fatal', errorCode: error.code };
  if (isWeather(error)) return { kind: 'weather', retryMs: WEATHER_RETRY_MS };
  if (runs >= RUNS_FOR_ANYTHING) return { kind: 'fatal', errorCode: 'chunk_failed' };
  return { kind: 'counted', retryMs: Math.min(WEATHER_RETRY_MS * 2 ** runs, LONGEST_RETRY_MS) };
}
