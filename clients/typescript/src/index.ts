import { type Client } from 'openapi-fetch';
import { batches, type Batches } from './batches';
import { charts, type Charts } from './charts';
import { connect, type DonorlensOptions } from './connection';
import { lookups, type Lookups } from './lookups';
import { type paths } from './schema';

export {
  type Batch,
  BatchEndedError,
  type BatchSource,
  type ResultOptions,
  type SubmitOptions,
  type WaitOptions,
} from './batches';
export { type ChartName } from './charts';
export { type DonorlensOptions } from './connection';
export { DonorlensProblem } from './problem';
export { type components, type operations, type paths } from './schema';
export { DonorlensUnreachable } from './unreachable';

/** Every operation by its method and path (`GET`, `POST`, …), typed, and functions for the common tasks. */
export type Donorlens = Client<paths> & Lookups & Batches & Charts;

/** Creates a client of one service. It throws a DonorlensProblem for an error response, and DonorlensUnreachable without a response. */
export function createDonorlens(options: DonorlensOptions): Donorlens {
  const connection = connect(options);
  return { ...connection.client, ...lookups(connection), ...batches(connection), ...charts(connection) };
}
