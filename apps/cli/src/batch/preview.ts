import { CONTRIBUTION_FIELDS } from '@donorlens/primitives';
import { z } from 'zod';
import { EXIT, type ExitCode } from '../exit-code';
import { type Context, table } from '../program-context';
import { columnList, asOptionError, quoted } from './option-errors';
import { isLocal, type ServiceClient, withService } from './service-client';
import { type InputFile, inputFile, uploadOf } from './input-file';
import { readAnswer } from './batch-view';
import { type SubmitOptions, queryOf } from './submit';

const preview = z.looseObject({
  delimiter: z.string().nullable(),
  sheet: z.string().optional(),
  encoding: z.string().optional(),
  columns: z.array(z.string()).nullish(),
  mapping: z.record(z.string(), z.string()),
  unused: z.array(z.string()).nullable(),
  warnings: z.array(z.looseObject({ code: z.string(), message: z.string() })).default([]),
  rows: z.array(z.looseObject({ row: z.number(), outcome: z.string(), result: z.record(z.string(), z.unknown()) })),
});
type Preview = z.infer<typeof preview>;

/** Shows how a file is read, with its first rows enriched. Nothing is stored. */
export async function showPreview(context: Context, path: string, options: SubmitOptions): Promise<ExitCode> {
  const file = inputFile(path, options.format);
  return withService(context, options, async (client, signal) => {
    const answer = await requestPreview(client, file, options, signal);
    context.out(
      options.json
        ? JSON.stringify(answer, null, 2)
        : previewText(readAnswer(preview, answer), path, queryOf(file, options), options),
    );
    return EXIT.ok;
  });
}

async function requestPreview(
  client: ServiceClient,
  file: InputFile,
  options: SubmitOptions,
  signal: AbortSignal,
): Promise<unknown> {
  const upload = uploadOf(file, !isLocal(client.url), () => undefined);
  try {
    return await client.json(`/enrich/v1/batches/preview?${queryOf(file, options)}`, {
      method: 'POST',
      upload,
      signal,
    });
  } catch (error) {
    throw asOptionError(error, file);
  }
}

const DELIMITERS: Readonly<Record<string, string>> = { '\t': 'tab', ',': 'comma', ';': 'semicolon', '|': 'pipe' };
const ENCODINGS: Readonly<Record<string, string>> = {
  'utf-8': 'UTF-8',
  'utf-16': 'UTF-16',
  'windows-1252': 'windows-1252',
  mixed: 'UTF-8 in some lines and windows-1252 in others',
};

/**
 * @param query - query string of the preview request
 * @param options - options that the query does not contain
 */
export function previewText(
  { delimiter, sheet, encoding, mapping, unused, columns, warnings, rows }: Preview,
  path: string,
  query: string,
  options: UnsentOptions = {},
): string {
  const fields = Object.entries(mapping);
  return [
    ...(sheet === undefined ? [] : [`sheet: ${sheet}`]),
    ...(delimiter === null ? [] : [`delimiter: ${DELIMITERS[delimiter] ?? delimiter}`]),
    ...(encoding === undefined ? [] : [`encoding: ${ENCODINGS[encoding] ?? encoding}`]),
    '',
    ...(fields.length > 0 ? [table(['FIELD', 'IS READ FROM'], fields), ''] : []),
    ...(unused && unused.length > 0 ? [`unused columns, kept in the results: ${columnList(unused)}`, ''] : []),
    ...warnings.map(({ message }) => `warning: ${message}`),
    ...(warnings.some(({ code }) => code === 'missing_column') ? [howToMap(unused ?? columns ?? [])] : []),
    ...(warnings.length > 0 ? [''] : []),
    ...rows.map(({ row, outcome, result }) => `row ${row}: ${outcome}${resultText(result)}`),
    ...(fields.length > 0
      ? ['', 'submit it as shown here with:', `  ${submitCommand(path, query, mapping, options)}`]
      : []),
  ].join('\n');
}

type UnsentOptions = Pick<Partial<SubmitOptions>, 'url' | 'format'>;

/** The command that submits the file with the options of the preview and an explicit column for each field. */
function submitCommand(
  path: string,
  query: string,
  mapping: Readonly<Record<string, string>>,
  { url, format }: UnsentOptions,
): string {
  const given = [...new URLSearchParams(query)].filter(([name]) => name !== 'format');
  if (format !== undefined) given.push(['format', format]);
  if (url !== undefined) given.push(['url', url]);
  const options = given
    .filter(([name]) => !name.startsWith('map.'))
    .map(([name, value]) => `--${name.replaceAll('_', '-')} ${quoted(value)}`);
  const excluded = given.filter(([name, column]) => name.startsWith('map.') && column === '');
  const maps = [...Object.entries(mapping), ...excluded.map(([name]) => [name.slice('map.'.length), ''])].map(
    ([field, column]) => `--map ${field}=${column === '' ? '' : quoted(column)}`,
  );
  return ['bin/donorlens batch submit', quoted(path), ...options, ...maps].join(' ');
}

/** Explains how to map a field, with a column of this file as the example. */
const howToMap = ([column = 'Column']: readonly string[]): string =>
  `assign it with --map FIELD=COLUMN, as in --map first_name=${columnList([column])}; FIELD is ${CONTRIBUTION_FIELDS.join(', ')}`;

function resultText(result: Readonly<Record<string, unknown>>): string {
  const known = Object.entries(result).filter(([, value]) => value !== null && typeof value !== 'object');
  return known.length === 0 ? '' : `; ${known.map(([name, value]) => `${name} ${String(value)}`).join(', ')}`;
}
