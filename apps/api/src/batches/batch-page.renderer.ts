import { type BatchSummary, type ErrorRow } from '@donorlens/batches';
import { type SessionUser } from '../access/sessions';
import { type BatchWire } from './batch-wire';

export interface BatchPageProps {
  readonly batch: BatchWire;
  /** Name of the uploaded file. */
  readonly name?: string | null;
  /** The API key, only if the URL has it: links carry it on. */
  readonly apiKey?: string;
  readonly user?: SessionUser | null;
  /** The first invalid rows, at most `maxErrors`. */
  readonly errors?: readonly ErrorRow[];
  /** Of a completed batch; null if it cannot be read. */
  readonly summary?: BatchSummary | null;
}

/** The page of one batch; the web module provides it. */
export abstract class BatchPageRenderer {
  abstract readonly maxErrors: number;
  abstract render(props: BatchPageProps): string;
}
