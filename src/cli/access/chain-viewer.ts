/**
 * L8: every reading command prints through this viewer. `--as` names the role, `--visibility` the rules. A person with the
 * server's credentials may choose any role, and sees what that role sees.
 */

import { readFileSync } from 'node:fs';
import { type RecordedChain, toReasoning } from '../../client/read/recorded-chain.js';
import { LonghandError } from '../../core/lib/errors.js';
import type { Reasoning } from '../../core/view/reasoning.js';
import type { ReasoningView } from '../../core/view/reasoning-view.js';
import { view } from '../../core/view/view.js';
import { createViewer, type Viewer, type VisibilityConfig } from '../../core/view/visibility.js';
import { parseVisibility } from '../../options/visibility-rules.js';
import { UsageError } from '../flags/usage-error.js';
import { describeFileError } from '../terminal/read-text.js';

export interface ViewFlags {
  readonly as?: string;
  readonly visibility?: string;
  /** Ids of steps to open, separated by commas, or `all`. */
  readonly expand?: string;
}

export interface ChainViewer {
  readonly role: string;
  readonly viewer: Viewer;
  readonly config: VisibilityConfig;
  readonly viewReasoning: (reasoning: Reasoning) => ReasoningView;
  readonly viewRecorded: (recorded: RecordedChain) => ReasoningView;
}

/** Creates the viewer of a command from its flags. @throws UsageError when the rules cannot be read or are invalid */
export function createChainViewer(
  { as: role = 'developer', visibility, expand }: ViewFlags,
  person: Partial<Pick<Viewer, 'user' | 'tenant' | 'preferences'>> = {},
): ChainViewer {
  const config = visibility === undefined ? {} : readVisibilityConfig(visibility);
  const expanded = expand === undefined ? [] : expand === 'all' ? 'all' : expand.split(',').map((id) => id.trim());
  const viewer = createViewer(role, { ...person, expanded });
  const see = (reasoning: Reasoning) => view(reasoning, viewer, config);
  return { role, viewer, config, viewReasoning: see, viewRecorded: (recorded) => see(toReasoning(recorded)) };
}

function readVisibilityConfig(file: string): VisibilityConfig {
  try {
    return parseVisibility(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof LonghandError)
      throw new UsageError(`Cannot use --visibility ${file}. ${error.message} See docs/visibility.md.`);
    throw new UsageError(`Cannot read --visibility ${file}: ${describeFileError(error)}.`);
  }
}
