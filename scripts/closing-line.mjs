/** The last line of a test run, from vitest's JSON report: `N passed, N failed`. */

/**
 * Also counts as failures:
 * - a file that could not be loaded: the report has no test of it
 * - a run without a report (null), or with an error outside of any test: vitest has printed it
 * - a skipped test, unless the tests were named (`chosen`), or its name has the reason: `(skipped: …)`
 * - each requirement without its proof (`unproven`)
 */
export function closingLine(report, exitCode, { chosen = false, unproven = [] } = {}) {
  if (report === null) return '0 passed, 1 failed';
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const excused = report.testResults.flatMap(({ assertionResults }) => assertionResults.filter(isExcused)).length;
  const skipped = chosen ? 0 : report.numPendingTests + report.numTodoTests - excused;
  const failures = report.numFailedTests + unloaded.length + skipped + unproven.length;
  const failed = Math.max(failures, exitCode === 0 ? 0 : 1);
  return `${report.numPassedTests} passed, ${failed} failed`;
}

/** What a test needs cannot be installed on every machine. */
function isExcused({ status, fullName }) {
  return status !== 'passed' && status !== 'failed' && fullName.includes('(skipped: ');
}

/** Returns a line for each test or file that did not pass: the end of a long log names them. */
export function notPassed(report, { chosen = false } = {}) {
  const files = report?.testResults ?? [];
  return files.flatMap(({ name, status, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status !== 'passed' && !(chosen && test.status !== 'failed'));
    if (tests.length > 0) return tests.map((test) => `${test.status}: ${name} › ${test.fullName}`);
    return status === 'failed' && assertionResults.length === 0 ? [`not loaded: ${name}`] : [];
  });
}
