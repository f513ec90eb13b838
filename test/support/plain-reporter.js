/** Prints the one plain line that a script can read: "N passed, N failed". A skipped or todo test counts as failed. */
class PlainReporter {
  onRunComplete(_contexts, results) {
    const suitesThatDidNotRun = results.numRuntimeErrorTestSuites;
    const failed = results.numFailedTests + results.numPendingTests + results.numTodoTests + suitesThatDidNotRun;
    process.stdout.write(`\n${results.numPassedTests} passed, ${failed} failed\n`);
    if (results.numPendingTests + results.numTodoTests > 0) this.failure = new Error('skipped tests are not allowed');
  }
  getLastError() {
    return this.failure;
  }
}
module.exports = PlainReporter;
