/**
 * What of a chain's words the audit log may keep: all of it but credentials, card numbers, and what stands in fields that are
 * sensitive for everybody. What was masked is proven by a digest of the original.
 *
 * What is sensitive in one call is masked in all that the run says, before and after: a thought repeats it, another tool is
 * given it. What was sensitive in the runs before stays so.
 */

import { canonical, type Json } from '../lib/json.js';
import type { AuditLevel } from '../model/agent.js';
import type { Chain, Step } from '../model/chain.js';
import type { State } from '../model/state.js';
import type { PatternKind } from '../redact/policy.js';
import { createRedactor } from '../redact/redactor.js';
import { sensitiveIn } from '../redact/sensitive.js';
import { createValueMasker } from '../redact/value-masker.js';
import type { Entry } from '../state/entry.js';
import { maskOf, type OfTool, sensitivePaths } from '../view/chain-masker.js';
import { sensitiveGiven } from '../view/descent.js';
import { type Scene, viewerOf } from '../view/visibility.js';
import type { DraftPart, Part } from './entry.js';
import type { AuditPolicy } from './policy.js';

/** What nobody may read in a log, however much of it is kept. */
const credentials: readonly PatternKind[] = ['private-key', 'api-key', 'jwt', 'token', 'password', 'secret', 'card'];

export interface Keeper {
  /** Nothing, where there is nothing to keep: null and empty texts. */
  readonly words: (part: Part, said: Json, level: AuditLevel) => readonly DraftPart[];
  /** Arguments or a result. */
  readonly value: (part: Part, held: Json, of: OfTool, level: AuditLevel) => readonly DraftPart[];
}

/** @param before the chain as the run found it */
export function createKeeper(entries: readonly Entry[], before: Chain, state: State, policy: AuditPolicy): Keeper {
  const tools = Object.fromEntries((state.agent?.tools ?? []).map(({ name, view }) => [name, view]));
  const scene: Scene = {
    // Anybody but an auditor: V4 would mask nothing.
    viewer: viewerOf('developer'),
    config: policy.visibility ?? {},
    chain: { agent: state.input?.agent ?? '', tenant: state.input?.tenant ?? null, tools },
    path: '',
  };
  const masker = createValueMasker(createRedactor({ kinds: credentials, ...policy.redact }));
  for (const secret of sensitiveGiven(state.input)) masker.remember(secret);
  for (const [tool, held] of [...before.steps.flatMap(valuesOf), ...entries.flatMap(valuesIn)]) {
    const toolKind = tools[tool]?.kind ?? 'external';
    for (const secret of sensitiveIn(held, sensitivePaths({ tool, toolKind }, scene))) masker.remember(secret);
  }
  const mask = maskOf(new Map(), scene, masker);
  return {
    words: (part, said, level) => partsOf(part, said, level, (value) => mask.value(value)),
    value: (part, held, of, level) => partsOf(part, held, level, (value) => mask.value(value, of)),
  };
}

function partsOf(part: Part, original: Json, level: AuditLevel, masked: (value: Json) => Json): readonly DraftPart[] {
  if (original === null || original === '') return [];
  if (level !== 'full') return [{ part, original, kept: undefined }];
  const kept = masked(original);
  return [{ part, original, kept: canonical(kept) === canonical(original) ? original : kept }];
}

type Value = readonly [tool: string, held: Json];

/** All that tools were given and gave back. */
function valuesOf({ calls }: Step): readonly Value[] {
  return calls.flatMap(({ tool, input, changedFrom, observation }): Value[] => [
    [tool, input],
    [tool, observation],
    ...(changedFrom === undefined ? [] : [[tool, changedFrom] as const]),
  ]);
}

function valuesIn(entry: Entry): readonly Value[] {
  switch (entry.type) {
    case 'step':
      return valuesOf(entry.step);
    case 'observation':
      return [[entry.tool, entry.settled.observation]];
    case 'decided':
      return entry.decided.input === undefined ? [] : [[entry.tool, entry.decided.input]];
    default:
      return [];
  }
}
