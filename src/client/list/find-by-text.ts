/**
 * Whether a viewer may find an archived chain by a text.
 *
 * L8: the archive indexes the text that a developer sees. For other viewers and rules each match is checked against their
 * own view, so that hidden text finds no chain.
 */

import type { Client } from '@temporalio/client';
import { toValueText } from '../../core/lib/index.js';
import {
  type Reasoning,
  type ReasoningView,
  toReasoning,
  toSearchText,
  type Viewer,
  type VisibilityConfig,
} from '../../core/view/index.js';
import { splitWords, toSearchTerms } from '../../store/index.js';
import { findArchivedSource } from '../read/chain-source.js';
import { explainUnreadable } from '../read/many-chains.js';
import { readRecordedChain } from '../read/recorded-chain.js';

/** A viewer with the rules, and what it sees of a chain. */
export interface TextViewer {
  readonly viewer: Pick<Viewer, 'role' | 'user'>;
  readonly config: VisibilityConfig;
  readonly viewReasoning: (reasoning: Reasoning) => ReasoningView;
}

/** Whether the viewer sees all text that the archive has in its index. */
export function seesIndexedText({ viewer: { role, user }, config }: Pick<TextViewer, 'viewer' | 'config'>): boolean {
  const seesAll = role === 'developer' || role === 'auditor';
  return seesAll && user === null && Object.keys(config).length === 0;
}

/** Returns whether the viewer's view of the chain contains all search terms. */
export async function canFindByText(
  client: Client,
  chainId: string,
  text: string,
  textViewer: TextViewer,
): Promise<boolean> {
  if (seesIndexedText(textViewer)) return true;
  const source = await findArchivedSource(client, chainId).catch(() => null);
  if (source === null) return false;
  const recorded = await readRecordedChain(source).catch((error: unknown) => {
    if (explainUnreadable(error) === null) throw error;
    return null;
  });
  if (recorded === null) return false;
  const chain = textViewer.viewReasoning(toReasoning(recorded));
  const texts = [
    chain.task,
    toValueText(chain.answer),
    chain.partial ?? '',
    chain.reason ?? '',
    ...chain.steps.map(toSearchText),
  ];
  const words = [...splitWords(texts.join(' '))];
  return toSearchTerms(text).every((sought) => words.some((word) => word.startsWith(sought)));
}
