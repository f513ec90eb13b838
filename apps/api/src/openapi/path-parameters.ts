import { FIRST_YEAR, LAST_YEAR } from '@donorlens/primitives';
import { z } from 'zod';
import { type QueryParameter } from '../http/route-policy';
import { BATCH_ID } from './examples';

const DESCRIBED: Readonly<Record<string, Omit<QueryParameter, 'name'>>> = {
  name: { description: 'First name.', schema: z.string().max(200), example: 'Thomas' },
  date: { description: 'Reference date, yyyy-mm-dd.', schema: z.iso.date(), example: '2017-07-01' },
  surname: { description: 'Surname.', schema: z.string().max(200), example: 'Garcia' },
  year: { description: 'Year, yyyy.', schema: z.int().min(FIRST_YEAR).max(LAST_YEAR), example: 2016 },
  id: {
    description: "The batch's id, as in the answer to POST /enrich/v1/batches.",
    schema: z.uuid(),
    example: BATCH_ID,
  },
};

/** The parameters of a route's template. @throws where one is not described, at the first look at the document */
export function pathParameters(template: string): QueryParameter[] {
  return [...template.matchAll(/:(\w+)/g)].map(([, name]) => {
    const described = DESCRIBED[name];
    if (described === undefined) throw new Error(`path parameter ${name} is not described`);
    return { name, ...described };
  });
}
