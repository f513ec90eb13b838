import { DomainError } from '@donorlens/primitives';

/** Another refresh is at work, longer than the caller would wait. */
export class ChartsBusyError extends DomainError {
  readonly code = 'charts_busy';

  constructor(waitMs: number) {
    super(`another refresh of the charts has been running for more than ${waitMs} ms`, { waitMs });
  }
}

/** The version was replaced twice since it was current: its rows are removed. Ask again with the current one. */
export class ChartsVersionGoneError extends DomainError {
  readonly code = 'charts_version_gone';

  constructor(readonly versionId: string) {
    super(`version ${versionId} of the charts is no longer stored`, { versionId });
  }
}
