import { storedAddresses } from '@donorlens/enrichment';
import { type AddressKeys } from '@donorlens/locations';
import { type GeocodeOutcome } from '@donorlens/primitives';
import { type Pool } from 'pg';
import { OutcomesRepository } from './outcomes.repository';

/** What becomes of the addresses of an outcome: distinct addresses, each counted once. */
export interface AskedAgain {
  readonly outcome: GeocodeOutcome | 'ERROR';
  /** By this command, or would be. */
  readonly asked: number;
  /** Were so before. */
  readonly asking: number;
  /** When a row brings them again: nothing here knows them any more. */
  readonly later: number;
  /** Of these, addresses in rows that are kept, but were hashed with another benchmark or vintage than is set here. */
  readonly other: number;
}

/** How it would be. */
export async function wouldAskAgain(pool: Pool, outcome: GeocodeOutcome): Promise<AskedAgain> {
  const outcomes = new OutcomesRepository(pool, outcome, null);
  const before = await outcomes.now();
  const { all, asking } = await outcomes.count(before);
  const asked = await outcomes.countKept(before);
  return { outcome, asked, asking, later: Math.max(0, all - asking - asked), other: 0 };
}

/**
 * Has all addresses of an outcome asked again: those in rows of kept batches now, read as when the rows were enriched;
 * the others when they come again. The old outcomes are shown until the new ones are there. Cut short, it may be run
 * again: what was asked is not asked twice.
 */
export async function askAgain(
  pool: Pool,
  outcome: GeocodeOutcome,
  keys: AddressKeys,
  signal: AbortSignal,
): Promise<AskedAgain> {
  const outcomes = new OutcomesRepository(pool, outcome, keys);
  const before = await outcomes.now();
  const { all, asking } = await outcomes.count(before);
  await outcomes.expire(before);
  let asked = 0;
  let other = 0;
  for await (const { spec, input, keys: wanted } of outcomes.keptRows(before)) {
    signal.throwIfAborted();
    const found = storedAddresses({ ...spec, firstRow: asked + 1 }, input, keys).filter(({ key }) =>
      wanted.has(key.toString('latin1')),
    );
    asked += await outcomes.ask(found, spec.batchId);
    other += wanted.size - found.length;
  }
  return { outcome, asked, asking, later: Math.max(0, all - asking - asked), other };
}
