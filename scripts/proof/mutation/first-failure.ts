import { TestEnvironment } from 'jest-environment-node';

/** What is read of an event of a run, and what is written to it. */
interface TestEvent {
  readonly name: string;
  readonly test?: { readonly errors: readonly unknown[]; mode?: string | null };
}

/** Leaves out what comes after the first test of a file that failed: one is enough to notice a change. */
export default class FirstFailure extends TestEnvironment {
  private failed = false;

  handleTestEvent({ name, test }: TestEvent): void {
    if (!test) return;
    if (name === 'test_done') this.failed ||= test.errors.length > 0;
    if (name === 'test_start' && this.failed) test.mode = 'skip';
  }
}
