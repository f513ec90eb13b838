import { type Context, clientContext } from '../program-context';
import { CliError, type ExitCode } from '../exit-code';
import { batchPath, fetchBatch } from './await-batch';
import { exitCodeOfBatch, isFinal } from './batch-view';
import { download, targetOf } from './download';
import { type ServiceOptions, findService } from './find-service';
import { interruptible } from './interruptible';
import { addressText, lateLine, tallyText } from './progress-text';

export const RESULT_FORMATS = ['csv', 'ndjson', 'json'] as const;

export interface ResultOptions {
  readonly as: (typeof RESULT_FORMATS)[number];
  readonly raw?: boolean;
}
interface ResultsOptions extends ServiceOptions, ResultOptions {
  readonly errors?: boolean;
  readonly partial?: boolean;
  readonly output?: string;
}

const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson', json: 'application/json' } as const;
export const resultsType = ({ as }: ResultOptions): string => TYPES[as];

export const resultsPath = ({ as, raw }: ResultOptions): string => `/results?format=${as}${raw ? '&raw=true' : ''}`;

/** Results of a batch, in input order, or with --errors its bad rows. */
export async function results(context: Context, id: string, options: ResultsOptions): Promise<ExitCode> {
  const { config, home } = clientContext();
  const client = findService(options, config, home);
  const target = await targetOf(options.output);
  try {
    return await interruptible(async (signal) => {
      const batch = await fetchBatch(client, id, { signal });
      if (!isFinal(batch) && !options.partial && !options.errors)
        throw new CliError(
          `batch ${id} is ${batch.state}: wait with bin/donorlens batch status ${id} --wait, or add --partial`,
        );
      const path = options.errors ? `/errors?format=${options.as}` : resultsPath(options);
      const partial = isFinal(batch) ? '' : '&partial=true';
      // Rows of a batch that still runs are not the same bytes twice, so only a finished one is asked for again.
      const patienceMs = isFinal(batch) ? undefined : 0;
      await download(client, `${batchPath(id)}${path}${partial}`, resultsType(options), target, { signal, patienceMs });
      await target.done();
      context.note([tallyText(batch), addressText(batch)].filter((text) => text !== null).join('; '));
      const late = lateLine(batch);
      if (late !== null) context.note(late);
      return exitCodeOfBatch(batch);
    }, context);
  } finally {
    target.discard();
    await client.close();
  }
}
