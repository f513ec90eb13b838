import { FIRST_YEAR, LAST_YEAR } from '@donorlens/primitives';
import { z } from 'zod';
import { type QueryParameter } from '../http/route-policy';

const DESCRIBED: Readonly<Record<string, Omit<QueryParameter, 'name'>>> = {
  name: { description: 'First name.', schema: z.string().max(200) },
  date: { description: 'Reference date, yyyy-mm-dd.', schema: z.iso.date() },
  surname: { description: 'Surname.', schema: z.string().max(200) },
  year: { description: 'Year, yyyy.', schema: z.int().min(FIRST_YEAR).max(LAST_YEAR) },
  id: { description: "The batch's id.", schema: z.uuid() },
  file: { description: 'Name of the file.', schema: z.string() },
};

/** The parameters of a route's template. @throws where one is not described, at the first look at the document */
export function pathParameters(template: string): QueryParameter[] {
  return [...template.matchAll(/:(\w+)/g)].map(([, name]) => {
    const described = DESCRIBED[name];
    if (described === undefined) throw new Error(`path parameter ${name} is not described`);
    return { name, ...described };
  });
}
