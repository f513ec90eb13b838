import { TestEnvironment } from 'jest-environment-node';

/** What is read of an event of a run, and what is written to it. */
interface TestEvent {
  readonly name: string;
  readonly test?: { readonly errors: readonly unknown[]; mode?: string | null };
}

/** Leaves out what comes after the first test that failed, in all files: one is enough to notice a change. */
export default class FirstFailure extends TestEnvironment {
  /** Kept from file to file, as this module is. */
  private static noticed: string | undefined;

  handleTestEvent({ name, test }: TestEvent): void {
    const { change } = this;
    if (!test || change === undefined) return;
    if (name === 'test_done' && test.errors.length > 0) FirstFailure.noticed = change;
    if (name === 'test_start' && FirstFailure.noticed === change) test.mode = 'skip';
  }

  /** Stryker's number of the change that is tried; none while it looks which test runs what. */
  private get change(): string | undefined {
    return (this.global as { __stryker__?: { activeMutant?: string } }).__stryker__?.activeMutant;
  }
}
