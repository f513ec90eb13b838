import { type z } from 'zod';
import { CliError } from '../exit-code';

/** What a service has answered, in the form that the command reads. @throws CliError where it has another */
export function readAnswer<T>(schema: z.ZodType<T>, answer: unknown): T {
  const { data, success } = schema.safeParse(answer);
  if (success) return data;
  throw new CliError(
    'the service answers something else than this command reads: look whether --url leads to a donorlens, and to one of this version',
  );
}
