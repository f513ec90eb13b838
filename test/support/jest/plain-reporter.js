/** Prints one line that a script can read: "N passed, N failed". With CI set, a skipped test counts as failed. */
class PlainReporter {
  onRunComplete(_contexts, results) {
    const skipped = results.numPendingTests + results.numTodoTests;
    const skippedMayNot = process.env.CI ? skipped : 0;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites + skippedMayNot;
    if (skipped > 0) process.stdout.write(`\n${skipped} skipped: a tool or the official data is not on this machine\n`);
    process.stdout.write(`\n${results.numPassedTests} passed, ${failed} failed\n`);
    if (skippedMayNot > 0) this.failure = new Error('skipped tests are not allowed in CI');
  }
  getLastError() {
    return this.failure;
  }
}
module.exports = PlainReporter;
