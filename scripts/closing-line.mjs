/** The last line of a test run, from vitest's JSON report: `N passed, N failed`. */

/**
 * A file that could not be loaded ran no test, so the report counts none of it: here it is one failure.
 * So is a run that ended badly without a failed test (an error outside of any), or without a report (null): vitest has
 * said why, and the line must not read like a success. A test that was left out has not passed either; only who names
 * tests (`chosen`) leaves others out on purpose.
 */
export function closingLine(report, exitCode, { chosen = false } = {}) {
  if (report === null) return '0 passed, 1 failed';
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const skipped = chosen ? 0 : report.numPendingTests + report.numTodoTests;
  const failed = Math.max(report.numFailedTests + unloaded.length + skipped, exitCode === 0 ? 0 : 1);
  return `${report.numPassedTests} passed, ${failed} failed`;
}

/** A line for each test or file that the closing line counts as failed, so that the end of a long log says which. */
export function notPassed(report, { chosen = false } = {}) {
  const files = report?.testResults ?? [];
  return files.flatMap(({ name, status, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status !== 'passed' && !(chosen && test.status !== 'failed'));
    if (tests.length > 0) return tests.map((test) => `${test.status}: ${name} › ${test.fullName}`);
    return status === 'failed' && assertionResults.length === 0 ? [`not loaded: ${name}`] : [];
  });
}
