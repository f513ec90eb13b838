import { ImportError } from '../import-error';

export interface ReadingCounts {
  readonly source: string;
  readonly cycle: number;
  readonly linesRead: number;
  readonly kept: number;
  readonly rejected: number;
  /** Rows kept whose date lies in the file's cycle. */
  readonly datedInCycle: number;
}

/** A file may hold a few lines that cannot be read; more than this is another file. */
const MOST_REJECTED = { share: 0.1, lines: 1_000 };
/** A file holds rows of other cycles too, in its first months a good part of them; never nearly all. */
const LEAST_IN_CYCLE = { share: 0.1, rows: 100 };

/**
 * Refuses what is not a file of contributions of its cycle, as early as that shows.
 * @param isWhole  the text has been read to its end
 * @throws ImportError `not_itcont`, `other_cycle`
 */
export function guardText(counts: ReadingCounts, isWhole: boolean): void {
  const { source, cycle, linesRead, kept, rejected, datedInCycle } = counts;
  if (isWhole && linesRead === 0) throw new ImportError('not_itcont', `${source} is empty`, { source });
  const tooMany = rejected > MOST_REJECTED.lines && rejected > MOST_REJECTED.share * linesRead;
  if (tooMany || (isWhole && rejected > linesRead / 2))
    throw new ImportError(
      'not_itcont',
      `${source} is no file of individual contributions: ${rejected} of its first ${linesRead} lines cannot be read`,
      { source, linesRead, rejected },
    );
  if (kept >= LEAST_IN_CYCLE.rows && datedInCycle < LEAST_IN_CYCLE.share * kept)
    throw new ImportError(
      'other_cycle',
      `${source} is not of cycle ${cycle}: only ${datedInCycle} of ${kept} rows are dated in it`,
      { source, cycle, kept, datedInCycle },
    );
}
