import { ImportRepository } from '@donorlens/imports';
import { csvRecord } from '@donorlens/primitives';
import { databaseUrlOf } from '../database-url';
import { EXIT, type ExitCode, usageError } from '../exit-code';
import { type Context } from '../program-context';
import { withPool } from '../with-pool';
import { importTable } from './import-text';

export async function importList(
  context: Context,
  { limit, json }: { readonly limit: number; readonly json?: boolean },
): Promise<ExitCode> {
  const imports = await withPool(databaseUrlOf(), (pool) => new ImportRepository(pool).list({ limit }));
  context.out(json ? JSON.stringify(imports, null, 2) : importTable(imports));
  return EXIT.ok;
}

export async function importRejects(context: Context, id: string): Promise<ExitCode> {
  if (!/^\d{1,18}$/.test(id))
    throw usageError('the number of an import is needed; bin/donorlens import list shows them');
  await withPool(databaseUrlOf(), async (pool) => {
    if (!(await new ImportRepository(pool).exists(id)))
      throw usageError(`there is no import ${id}; bin/donorlens import list shows them`);
    context.out(csvRecord(['LINE', 'REASON', 'RECORD']));
    for await (const { line, code, record } of new ImportRepository(pool).rejects(id))
      context.out(csvRecord([String(line), code, record]));
  });
  return EXIT.ok;
}
