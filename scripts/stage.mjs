/**
 * One line for each thing that set-up does, and how long it took.
 *
 * Everything goes to stderr: stdout belongs to the result of the command that is being prepared.
 */

/**
 * Runs `work` and says what came of it in one line.
 *
 * `work` gets `say`, to announce something that takes a while, and resolves with what was done.
 * With `quiet`, only what was announced is worth a line: nothing is said of what was already in place.
 */
export async function stage({ quiet = false }, work) {
  const started = performance.now();
  let announced = false;
  const say = (line) => {
    announced = true;
    process.stderr.write(`· ${line}\n`);
  };
  const done = await work(say);
  if (quiet && !announced) return;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stderr.write(`✓ ${done} (${seconds} s)\n`);
}

/** A set-up that cannot go on: the message is all that the person needs, a stack trace would bury it. */
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
