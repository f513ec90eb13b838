import { Injectable } from '@nestjs/common';
import { type Duty } from './duties';
import { Importing } from './importing';
import { Refreshing } from './refreshing';
import { type Term } from './scheduling/leadership';

/** Keeps the data up to date: nothing is imported before there is a release to enrich it by. */
@Injectable()
export class Upkeep implements Duty {
  constructor(
    private readonly refreshing: Refreshing,
    private readonly importing: Importing,
  ) {}

  /** @throws UnusableDataSourceError */
  async during(term: Term): Promise<void> {
    await this.refreshing.first(term);
    await Promise.all([this.refreshing.onSchedule(term), this.importing.during(term)]);
  }
}
