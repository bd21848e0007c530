/** Runs a program for a model: its output, clipped and masked, and how it ended. A non-zero exit code is a result. */

import { toPlainText } from '../../core/lib/index.js';
import type { SecretMasker } from '../../core/redact/index.js';
import { type CommandOptions, createHeadTailBuffer, runCommand } from './run-command.js';

export interface CapturedCommand extends Omit<CommandOptions, 'onOutput'> {
  /** Masks credentials of the program in its output. */
  readonly masker: SecretMasker;
  /** Emits the output so far. */
  readonly emit: (interim: unknown) => void;
}

export interface CommandResult {
  /** Null if it was stopped. */
  readonly exitCode: number | null;
  /** Why it was stopped. */
  readonly stopped?: string;
  /** Standard output and standard error, in the order of arrival. */
  readonly output: string;
}

/** Bytes of output that are kept. The model sees the part that fits its observations. */
const outputBytes = 128 * 1024;

/** @throws {NotStarted} if certainly nothing was run */
export async function captureCommand({ masker, emit, ...command }: CapturedCommand): Promise<CommandResult> {
  const ends = createHeadTailBuffer(outputBytes);
  const toOutput = (text: string) => masker.text(toPlainText(text));
  // Converted only when it is shown. Complete lines: half of a secret would not be recognised.
  const interim = { toJSON: () => ({ output: toOutput(ends.text().replace(/[^\n]*$/, '')) }) };
  const end = await runCommand({
    ...command,
    onOutput: (chunk) => {
      ends.add(chunk);
      emit(interim);
    },
  });
  const output = toOutput(ends.text());
  switch (end.by) {
    case 'exit':
      return { exitCode: end.code, output };
    case 'signal':
      return { exitCode: null, stopped: `it was ended by ${end.name}`, output };
    case 'timeout':
      return { exitCode: null, stopped: `it was ended by its timeout of ${command.timeoutMs / 1_000} seconds`, output };
  }
}

/** Returns whether an error is from before the start of a program. */
export function isBeforeStart(error: unknown): error is Error {
  return error instanceof Error && (error.name === 'NotStarted' || error.name === 'ToolError');
}
