/** Visibility rules as a file contains them: YAML, or JSON, which is YAML too. */

import { parse } from 'yaml';
import { LonghandError, toErrorMessage } from '../core/lib/index.js';
import { type VisibilityConfig, validateVisibility } from '../core/view/index.js';

/**
 * Parses visibility rules.
 *
 * @throws {LonghandError} `invalid_policy`, with the place in the text or the invalid member
 * @example
 * createWorker({ agents, visibility: parseVisibility(readFileSync('visibility.yaml', 'utf8')) })
 */
export function parseVisibility(text: string): VisibilityConfig {
  const value = parseYaml(text);
  const problem = validateVisibility(value);
  if (problem !== null) throw new LonghandError('invalid_policy', `Invalid visibility rules: ${problem}.`);
  return value as VisibilityConfig;
}

function parseYaml(text: string): unknown {
  try {
    // An alias may expand to more than the file contains.
    return parse(text, { maxAliasCount: 100 });
  } catch (error) {
    const [what = ''] = toErrorMessage(error).split('\n');
    throw new LonghandError(
      'invalid_policy',
      `Invalid visibility rules: expected YAML or JSON (${what.replace(/:$/, '')}).`,
    );
  }
}
