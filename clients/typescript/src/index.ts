import { type Client } from 'openapi-fetch';
import { batches, type Batches } from './batches';
import { connect, type DonorlensOptions } from './connection';
import { questions, type Questions } from './questions';
import { type paths } from './schema';

export {
  type Batch,
  BatchEndedError,
  type BatchSource,
  type ResultOptions,
  type SubmitOptions,
  type WaitOptions,
} from './batches';
export { type DonorlensOptions } from './connection';
export { DonorlensProblem } from './problem';
export { type components, type operations, type paths } from './schema';
export { DonorlensUnreachable } from './unreachable';

/** Every operation by its method and path (`GET`, `POST`, …, all typed), and the ways that most people go. */
export type Donorlens = Client<paths> & Questions & Batches;

/** A client of one service. What does not succeed is thrown: as a DonorlensProblem, or where nobody answers as DonorlensUnreachable. */
export function createDonorlens(options: DonorlensOptions): Donorlens {
  const connection = connect(options);
  return { ...connection.client, ...questions(connection), ...batches(connection) };
}
