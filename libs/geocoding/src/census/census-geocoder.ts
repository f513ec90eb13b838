import { type KeySettings } from '@donorlens/locations';
import { type BatchAnswer, type Candidate, type Geocoder, type GeocoderRow } from '../geocoder';
import { GeocoderError } from '../geocoder-error';
import { readAddressAnswer } from './json-answer';
import { readBatchAnswer } from './batch-answer';
import { batchForm, sendableRow, singleRow } from './batch-request';
import { CensusHttp } from './census-http';
import { type Setting, readBenchmarks, readVintages, refusedSettingMessage } from './json-answer';

export interface CensusGeocoderOptions {
  /** Without a slash at its end. */
  readonly url: string;
  /** Checked in the service's lists; each call has its own. */
  readonly benchmark: string;
  readonly vintage: string;
  /** From the start of the request, with its connection, to the last byte received. */
  readonly budgetMs: number;
  /** 3 s by default. */
  readonly connectMs?: number;
  /** Longest silence between two pieces of an answer's body; 30 s by default. */
  readonly idleMs?: number;
}

const SINGLE_BUDGET_MS = 60_000; // one address takes the service up to 14 s
const LIST_BUDGET_MS = 15_000;
const MAX_JSON_BYTES = 1_048_576; // a candidate has about 2 KB
/** A row of the answer repeats the address, adds the matched one and some 100 characters. */
const MAX_ROW_BYTES = 1024;
const MAX_OTHER_BYTES = 16_384;

/**
 * The geocoder of the US Census Bureau. Its answers are not trusted: each is limited in time and size, and invalid parts
 * count as no answer. Latitude and longitude are dropped where the answers are parsed.
 */
export class CensusGeocoder implements Geocoder {
  private readonly http: CensusHttp;

  constructor(private readonly options: CensusGeocoderOptions) {
    const { url, connectMs = 3000, idleMs = 30_000 } = options;
    this.http = new CensusHttp(url, { connectMs, idleMs });
  }

  /** Active calls end with `aborted`. */
  close(): Promise<void> {
    return this.http.close();
  }

  async locate(rows: readonly GeocoderRow[], settings: KeySettings, signal?: AbortSignal): Promise<BatchAnswer> {
    if (rows.length === 0) return { answers: new Map(), unanswered: new Map() };
    const sent = rows.map(sendableRow);
    const form = batchForm(sent, named(settings));
    const { body, brokenBy } = await this.http.ask({
      path: '/geographies/addressbatch',
      form,
      maxBytes: MAX_OTHER_BYTES + MAX_ROW_BYTES * rows.length + form.body.length,
      budgetMs: this.options.budgetMs,
      signal,
    });
    const answer = readBatchAnswer(body.toString('latin1'), sent, brokenBy !== null);
    if (brokenBy && (answer === null || answer.answers.size === 0)) throw brokenBy;
    if (answer === null) throw new GeocoderError('not_csv');
    return answer;
  }

  async candidates(row: GeocoderRow, settings: KeySettings, signal?: AbortSignal): Promise<readonly Candidate[]> {
    const { street, city, state, zip } = singleRow(row);
    // no `layers`: states, counties, tracts and blocks are what is given without
    const query = { street, city, state, zip, ...named(settings), format: 'json' };
    return readAddressAnswer(await this.json('/geographies/address', query, SINGLE_BUDGET_MS, signal));
  }

  async refusedSettings(signal?: AbortSignal): Promise<string | null | undefined> {
    const { benchmark, vintage } = this.options;
    const benchmarks = await this.list('/benchmarks', {}, readBenchmarks, signal);
    if (benchmarks === undefined) return undefined;
    const refused = refusedSettingMessage('benchmark', benchmark, benchmarks);
    if (refused !== null || benchmarks === null) return refused;
    const vintages = await this.list('/vintages', { benchmark }, readVintages, signal);
    return vintages === undefined ? undefined : refusedSettingMessage('vintage', vintage, vintages, benchmark);
  }

  /** @returns undefined if the list is unavailable at the moment; null if the service, such as a mirror, has none */
  private async list(
    path: string,
    query: Readonly<Record<string, string>>,
    read: (text: string) => readonly Setting[] | null,
    signal?: AbortSignal,
  ): Promise<readonly Setting[] | null | undefined> {
    try {
      return read(await this.json(path, query, LIST_BUDGET_MS, signal)) ?? undefined;
    } catch (error) {
      return error instanceof GeocoderError && error.values.reason === 404 ? null : undefined;
    }
  }

  private async json(
    path: string,
    query: Readonly<Record<string, string>>,
    maxMs: number,
    signal?: AbortSignal,
  ): Promise<string> {
    const budgetMs = Math.min(maxMs, this.options.budgetMs);
    const { body, brokenBy } = await this.http.ask({ path, query, maxBytes: MAX_JSON_BYTES, budgetMs, signal });
    if (brokenBy) throw brokenBy;
    return body.toString('utf8');
  }
}

/** Only these two fields: the caller's object may hold secrets as well. */
const named = ({ benchmark, vintage }: KeySettings): Record<string, string> => ({ benchmark, vintage });
