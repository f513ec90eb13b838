import { DomainError } from '@donorlens/primitives';

/** A sample is made up: it never stands beside real data. */
export class SampleRefusedError extends DomainError {
  readonly code = 'sample_refused';

  constructor() {
    super('the sample is not loaded beside real data of the FEC');
  }
}
