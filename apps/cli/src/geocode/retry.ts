import { readConfig } from '@donorlens/config';
import { CallRepository } from '@donorlens/geocoding';
import { AddressKeys, claimSecret, readGeocoderStatus } from '@donorlens/locations';
import { type GeocodeOutcome, counted } from '@donorlens/primitives';
import { type Pool } from 'pg';
import { storedAddresses } from '@donorlens/enrichment';
import { interruptible, type Context } from '../program-context';
import { databaseUrlOf } from '../database-url';
import { EXIT, type ExitCode } from '../exit-code';
import { storedAddressSecret, Home } from '../home/home';
import { withPool } from '../with-pool';
import { OutcomesRepository } from './outcomes.repository';

export interface RetryOptions {
  readonly outcome: 'ERROR' | 'NO_MATCH' | 'TIE';
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export async function retry(context: Context, { outcome, dryRun = false, json }: RetryOptions): Promise<ExitCode> {
  const config = readConfig();
  return withPool(databaseUrlOf(), (pool) =>
    interruptible(async (signal) => {
      const counts = await (outcome === 'ERROR'
        ? retryErrors(pool, config.geocoder, dryRun)
        : dryRun
          ? countRetries(pool, outcome)
          : retryStored(pool, outcome, config, signal));
      context.out(json ? JSON.stringify({ ...counts, dryRun }) : retryText(counts, dryRun).join('\n'));
      return EXIT.ok;
    }, context),
  );
}

type Settings = ReturnType<typeof readConfig>;

async function retryErrors(pool: Pool, geocoder: Settings['geocoder'], dryRun: boolean): Promise<RetryCounts> {
  const asked = dryRun
    ? (await readGeocoderStatus(pool, geocoder)).errors
    : await new CallRepository(pool, geocoder).retryErrors();
  return { outcome: 'ERROR', asked, asking: 0, later: 0, other: 0 };
}

/** @throws AddressSecretError, exit code 2, if rows were hashed with another secret */
async function retryStored(
  pool: Pool,
  outcome: GeocodeOutcome,
  config: Settings,
  signal: AbortSignal,
): Promise<RetryCounts> {
  const addressSecret = config.addressSecret ?? storedAddressSecret(new Home(config.home)) ?? undefined;
  const keys = AddressKeys.fromConfig({ ...config, addressSecret });
  await claimSecret(pool, keys);
  return retryAddresses(pool, outcome, keys, signal);
}

/** Result of a retry: counts of distinct addresses. */
export interface RetryCounts {
  readonly outcome: GeocodeOutcome | 'ERROR';
  /** Addresses that this command requests, or would request in a dry run. */
  readonly asked: number;
  /** Addresses that were already requested. */
  readonly asking: number;
  /** Addresses that no stored batch contains; they are geocoded when they are submitted again. */
  readonly later: number;
  /** The part of `later` in stored rows that were hashed with another benchmark or vintage than this environment. */
  readonly other: number;
}

/** Counts the addresses that a retry would request, and changes nothing. */
export async function countRetries(pool: Pool, outcome: GeocodeOutcome): Promise<RetryCounts> {
  const outcomes = new OutcomesRepository(pool, outcome, null);
  const before = await outcomes.now();
  const { all, asking } = await outcomes.count(before);
  const asked = await outcomes.countKept(before);
  return { outcome, asked, asking, later: Math.max(0, all - asking - asked), other: 0 };
}

/**
 * Requests all addresses of an outcome again: those in stored batches now, the others when they are submitted again.
 * Results show the old outcomes until the new ones are stored. The operator may repeat the command after an
 * interruption: no address is requested twice.
 */
export async function retryAddresses(
  pool: Pool,
  outcome: GeocodeOutcome,
  keys: AddressKeys,
  signal: AbortSignal,
): Promise<RetryCounts> {
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

const addresses = (count: number): string => counted(count, 'address', 'addresses');

/** One line for each kind of address. */
export function retryText({ outcome, asked, asking, later, other }: RetryCounts, isDryRun: boolean): string[] {
  const verb = isDryRun ? 'would be' : asked > 1 ? 'are' : 'is';
  return [
    `${asked === 0 ? 'no address' : addresses(asked)} with ${outcome} ${verb} geocoded again now`,
    ...(asking > 0 ? [`${addresses(asking)}: already being geocoded again`] : []),
    ...(later > 0
      ? [`${addresses(later)}: geocoded again when they are submitted again, because no stored batch has them`]
      : []),
    ...(other > 0
      ? [
          `of these, ${other.toLocaleString('en-US')} in a stored batch ${other === 1 ? 'was' : 'were'} hashed with ` +
            'another benchmark or vintage than GEOCODER_BENCHMARK and GEOCODER_VINTAGE say',
        ]
      : []),
  ];
}
