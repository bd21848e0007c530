/** Stages of the setup: one line on stderr for each, with its duration. Stdout is for the result of the command. */

/**
 * Runs a stage and prints its result in one line.
 *
 * @param options `quiet`: prints only stages that had something to do
 * @param work gets `announce`, for a line before something slow; resolves with its result in words
 */
export async function stage({ quiet = false }, work) {
  const started = performance.now();
  let announced = false;
  const announce = (line) => {
    announced = true;
    process.stderr.write(`· ${line}\n`);
  };
  const done = await work(announce);
  if (quiet && !announced) return;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stderr.write(`✓ ${done} (${seconds} s)\n`);
}

/** The setup cannot continue. Printed without a stack trace. */
export class SetupError extends Error {}

/** Runs a script's main function, which resolves with the exit code; a `SetupError` ends it with its message and 1. */
export async function main(run) {
  try {
    const code = await run(process.argv.slice(2));
    if (code !== undefined) process.exitCode = code;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`✗ ${error.message}\n`);
    process.exitCode = 1;
  }
}
