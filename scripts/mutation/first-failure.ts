import { type TestEnvironment } from 'jest-environment-node';
import { createRequire } from 'node:module';

/** The part of an event of jest-circus that is used. */
interface TestEvent {
  readonly name: string;
  readonly test?: { readonly errors: readonly unknown[]; mode?: string | null };
}

/** The test environment of the repository, which loads packages that are ES modules. */
const Environment = createRequire(__filename)('../../test/support/jest/environment.js') as typeof TestEnvironment;

/** Skips all tests of all files after the first failure, because one failure kills a mutant. */
export default class FirstFailure extends Environment {
  /** Shared by all test files, because this module is loaded once. */
  private static killed: string | undefined;

  handleTestEvent({ name, test }: TestEvent): void {
    const { mutant } = this;
    if (!test || mutant === undefined) return;
    if (name === 'test_done' && test.errors.length > 0) FirstFailure.killed = mutant;
    if (name === 'test_start' && FirstFailure.killed === mutant) test.mode = 'skip';
  }

  /** Stryker's number of the current mutant; undefined during the first run. */
  private get mutant(): string | undefined {
    return (this.global as { __stryker__?: { activeMutant?: string } }).__stryker__?.activeMutant;
  }
}
