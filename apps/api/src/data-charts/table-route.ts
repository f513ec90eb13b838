import { applyDecorators, Get } from '@nestjs/common';
import { z } from 'zod';
import { type QueryParameter, Route } from '../http/route-policy';
import { format } from '../lookups/parameters';
import { type Column } from './columns/column';
import { type TableFile } from './table-files';
import { type TableFormat } from './table-format';

export const RAW: QueryParameter = {
  name: 'raw',
  description: "Leaves out the ' before text that a spreadsheet would run as a formula.",
  schema: z.boolean().default(false),
};

const cellSchema = ({ kind, meaning }: Column): z.ZodType =>
  (kind === 'whole'
    ? z.int().nullable()
    : kind === 'number' || kind === 'dollars'
      ? z.number().nullable()
      : z.string()
  ).describe(meaning);

const isDrawn = ({ formats }: TableFile): boolean => formats.includes('html');

/** The route of a file and what the OpenAPI document says of it. */
export const TableRoute = (file: TableFile): MethodDecorator =>
  applyDecorators(
    Get(file.path),
    Route({
      access: 'charts:read',
      page: isDrawn(file),
      summary: file.summary,
      query: [...file.own, ...file.options, format(...(file.formats as [TableFormat, ...TableFormat[]])), RAW],
      headers: [{ name: 'If-None-Match', description: 'ETag of the answer you have.', schema: z.string() }],
      answers: {
        200: {
          description: `results.csv: ${Object.keys(file.columns).join(',')}. The header line alone where nothing matches.${isDrawn(file) ? ' As a page or a picture: the chart.' : ''}`,
          content: {
            'text/csv': null,
            'application/json': z.object({
              results: z.array(
                z.object(
                  Object.fromEntries(
                    Object.entries(file.columns).map(([name, column]) => [name.toLowerCase(), cellSchema(column)]),
                  ),
                ),
              ),
            }),
            ...(isDrawn(file) && { 'text/html': null, 'image/svg+xml': null }),
          },
        },
        304: { description: 'You have it.' },
      },
      problems: ['unavailable'],
    }),
  );
