/** Whether to colour what goes to a stream: for a person at a terminal, never into a pipe or a file. */

export interface ColorQuestion {
  readonly stream: { readonly isTTY?: boolean };
  readonly env: NodeJS.ProcessEnv;
  /** False after `--no-color`. */
  readonly wanted?: boolean;
}

/** `NO_COLOR` and `--no-color` go first; `FORCE_COLOR` colours a pipe as well. */
export function wantsColor({ stream, env, wanted = true }: ColorQuestion): boolean {
  if (!wanted || env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return stream.isTTY === true && env.TERM !== 'dumb';
}
