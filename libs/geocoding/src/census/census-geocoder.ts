import { type BatchAnswer, type Candidate, type Geocoder, type GeocoderRow } from '../geocoder';

export interface CensusGeocoderOptions {
  /** Without a slash at its end. */
  readonly url: string;
  readonly benchmark: string;
  readonly vintage: string;
  /** From the first byte sent to the last received. */
  readonly budgetMs: number;
  /** 3 s by default. */
  readonly connectMs?: number;
  /** Longest silence between two pieces of an answer's body; 30 s by default. */
  readonly idleMs?: number;
}

/** The geocoder of the US Census Bureau. */
export class CensusGeocoder implements Geocoder {
  constructor(readonly options: CensusGeocoderOptions) {}

  locate(_rows: readonly GeocoderRow[], _signal?: AbortSignal): Promise<BatchAnswer> {
    return Promise.reject(new Error('not built'));
  }

  candidates(_row: GeocoderRow, _signal?: AbortSignal): Promise<readonly Candidate[]> {
    return Promise.reject(new Error('not built'));
  }

  refusedSettings(_signal?: AbortSignal): Promise<string | null> {
    return Promise.reject(new Error('not built'));
  }

  close(): Promise<void> {
    return Promise.reject(new Error('not built'));
  }
}
