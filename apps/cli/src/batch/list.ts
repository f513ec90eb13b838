import { EXIT, type ExitCode } from '../exit-code';
import { type Context, table } from '../program-context';
import { batchPath } from './await-batch';
import { type BatchView, readBatch } from './batch-view';
import { type ServiceOptions, type ServiceClient, withService } from './service-client';
import { countsText } from './progress';

interface ListOptions extends ServiceOptions {
  readonly limit: number;
  readonly json?: boolean;
}

/** Page size limit of the service. */
const MAX_IN_A_PAGE = 100;

/** Lists the batches of the API key, newest first. */
export async function list(context: Context, options: ListOptions): Promise<ExitCode> {
  return withService(context, options, async (client, signal) => {
    const batches = await newest(client, options.limit, signal);
    context.out(options.json ? JSON.stringify(batches, null, 2) : batchTable(batches));
    return EXIT.ok;
  });
}

async function newest(client: ServiceClient, limit: number, signal: AbortSignal): Promise<BatchView[]> {
  const batches: BatchView[] = [];
  for (let after = ''; batches.length < limit;) {
    const most = Math.min(MAX_IN_A_PAGE, limit - batches.length);
    const page = (await client.json(`/enrich/v1/batches?limit=${most}${after}`, { signal })) as {
      results: unknown[];
      next: string | null;
    };
    batches.push(...page.results.map(readBatch));
    if (page.next === null) break;
    after = `&after=${encodeURIComponent(page.next)}`;
  }
  return batches;
}

const batchTable = (batches: readonly BatchView[]): string =>
  table(
    ['ID', 'CREATED', 'TYPE', 'STATE', 'ROWS', 'OUTCOMES'],
    batches.map((batch) => [
      batch.id,
      (batch.created_at ?? '').slice(0, 16).replace('T', ' '),
      batch.type ?? '',
      batch.state,
      batch.counts.total.toLocaleString('en-US'),
      countsText(batch),
    ]),
  );

/** Deletes a batch with all its data. */
export async function erase(
  context: Context,
  id: string,
  options: ServiceOptions & { json?: boolean },
): Promise<ExitCode> {
  return withService(context, options, async (client, signal) => {
    await client.delete(batchPath(id), signal);
    if (options.json) context.out(JSON.stringify({ id, state: 'deleted' }));
    else context.note(`batch ${id} deleted, with its input, results and counts`);
    return EXIT.ok;
  });
}
