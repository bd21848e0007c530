/**
 * L8: every reading command prints through this viewer. `--as` names the role, `--visibility` the rules, `--user` and
 * `--tenant` the person whose stored preferences apply. A person with the server's credentials may choose any role, and sees
 * what that role sees.
 */

import { readFileSync } from 'node:fs';
import { openChainArchive, resolveViewer } from '../../client/index.js';
import { LonghandError } from '../../core/lib/index.js';
import type { RecordedChain } from '../../core/record/index.js';
import {
  createViewer,
  type Preferences,
  type Reasoning,
  type ReasoningView,
  toReasoning,
  type Viewer,
  type VisibilityConfig,
  view,
} from '../../core/view/index.js';
import { parseVisibility } from '../../options/index.js';
import { UsageError } from '../flags/usage-error.js';
import { describeFileError } from '../terminal/read-text.js';
import { findStoreUrl } from './command-store.js';
import { getNamespace } from './open.js';

export interface ViewFlags {
  readonly as?: string;
  readonly visibility?: string;
  readonly user?: string;
  readonly tenant?: string;
  /** Ids of steps to open, separated by commas, or `all`. */
  readonly expand?: string;
  readonly json?: boolean;
}

export interface ChainViewer {
  readonly role: string;
  readonly viewer: Viewer;
  readonly config: VisibilityConfig;
  readonly viewReasoning: (reasoning: Reasoning) => ReasoningView;
  readonly viewRecorded: (recorded: RecordedChain) => ReasoningView;
}

/**
 * Creates the viewer of a command from its flags.
 * @throws UsageError when the rules cannot be read or are invalid; StoreError when the preferences cannot be read
 */
export async function createChainViewer(flags: ViewFlags): Promise<ChainViewer> {
  const { as: role = 'developer', visibility, user = null, tenant = null, expand } = flags;
  const config = visibility === undefined ? {} : readVisibilityConfig(visibility);
  const expanded = expand === undefined ? [] : expand === 'all' ? 'all' : expand.split(',').map((id) => id.trim());
  const viewer = await resolveStoredPreferences(createViewer(role, { user, tenant, expanded }));
  const see = (reasoning: Reasoning) => view(reasoning, viewer, config);
  return { role, viewer, config, viewReasoning: see, viewRecorded: (recorded) => see(toReasoning(recorded)) };
}

/** Hides all but open requests and notices, so that nothing else is masked. */
const onlyRequests: Preferences = {
  progressSummary: false,
  thinking: false,
  externalCalls: false,
  internalCalls: false,
  finalReasoning: false,
};

/**
 * Creates the viewer of a chain that a command runs or waits for.
 * @param preferences of the reader; null for an output without lines, which needs only the requests to people
 */
export function createRunViewer(preferences: Preferences | null): Viewer {
  return createViewer('developer', { preferences: preferences ?? onlyRequests });
}

/** Reads the preferences without a server. */
export async function resolveStoredPreferences(viewer: Viewer): Promise<Viewer> {
  if (viewer.user === null) return viewer;
  const archive = openChainArchive(await findStoreUrl(), process.env, getNamespace());
  try {
    return await resolveViewer(viewer, archive);
  } finally {
    await archive?.close();
  }
}

/** @throws UsageError when the rules cannot be read or are invalid */
export function readVisibilityConfig(file: string): VisibilityConfig {
  try {
    return parseVisibility(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof LonghandError)
      throw new UsageError(`Cannot use --visibility ${file}. ${error.message} See docs/visibility.md.`, {
        cause: error,
      });
    throw new UsageError(`Cannot read --visibility ${file}: ${describeFileError(error)}.`);
  }
}
