/**
 * Drafts the contents that the audit log may store: everything except credentials, card numbers and sensitive fields. A
 * digest of the original proves a masked content.
 *
 * A text that is sensitive in one call is masked in all contents of the run, earlier and later ones: a thought may repeat
 * it, another call may contain it. Sensitive texts of earlier runs are masked too.
 */

import type { ChainEntry } from '../engine/index.js';
import { type Json, type JsonObject, toCanonicalJson } from '../lib/index.js';
import {
  type AuditLevel,
  type Chain,
  type ChainState,
  chooseLowerLevel,
  type Step,
  type ToolSnapshot,
} from '../model/index.js';
import { createRedactor, createValueMasker, findSensitiveTexts, type PatternKind } from '../redact/index.js';
import {
  createChainMasker,
  createViewer,
  listInheritedSensitiveTexts,
  listSensitivePaths,
  type ToolRef,
  type ViewScene,
} from '../view/index.js';
import type { ContentPart, DraftPart } from './entry.js';
import { type AuditPolicy, computeToolLevel } from './policy.js';

/** Kinds of secrets that are masked at every level. */
const credentials: readonly PatternKind[] = ['private-key', 'api-key', 'jwt', 'token', 'password', 'secret', 'card'];

export interface ContentDrafter {
  /** Drafts a text. Null and the empty text have no parts. */
  readonly draftText: (part: ContentPart, text: Json, level: AuditLevel) => readonly DraftPart[];
  /** Drafts the arguments or the result of a call. */
  readonly draftValue: (part: ContentPart, original: Json, toolRef: ToolRef, level: AuditLevel) => readonly DraftPart[];
  /** Drafts a signal by the rules of the tools that may receive it, whether or not a call has received it. */
  readonly draftSignal: (signal: JsonObject) => readonly DraftPart[];
}

/** @param before the chain at the start of the run */
export function createContentDrafter(
  entries: readonly ChainEntry[],
  before: Chain,
  state: ChainState,
  policy: AuditPolicy,
): ContentDrafter {
  const tools = Object.fromEntries((state.agent?.tools ?? []).map(({ name, kind, view }) => [name, { kind, ...view }]));
  const scene: ViewScene = {
    // Any role except auditor, for which V4 masks nothing.
    viewer: createViewer('developer'),
    config: policy.visibility ?? {},
    chain: { agent: state.input?.agent ?? '', tenant: state.input?.tenant ?? null, tools },
    path: '',
  };
  const masker = createValueMasker(createRedactor({ kinds: credentials, ...policy.redact }));
  for (const secret of listInheritedSensitiveTexts(state.input)) masker.remember(secret);
  for (const [tool, held] of [...before.steps.flatMap(listStepValues), ...entries.flatMap(listEntryValues)]) {
    const toolKind = tools[tool]?.kind ?? 'external';
    for (const secret of findSensitiveTexts(held, listSensitivePaths({ tool, toolKind }, scene)))
      masker.remember(secret);
  }
  const mask = createChainMasker(new Map(), scene, masker);
  const waiting = (state.agent?.tools ?? []).filter(({ waits }) => waits);
  return {
    draftText: (part, text, level) => draftParts(part, text, level, (value) => mask.value(value)),
    draftValue: (part, original, toolRef, level) =>
      draftParts(part, original, level, (value) => mask.value(value, toolRef)),
    draftSignal: (signal) => {
      const level = computeSignalLevel(waiting, state, policy);
      if (level === 'none') return [];
      return draftParts('text', signal, level, (value) =>
        waiting.reduce((masked, { name, kind }) => mask.value(masked, { tool: name, toolKind: kind }), value),
      );
    },
  };
}

/** The lowest level of the tools. Without one, the rules of the data are unknown, and only their digest is recorded. */
function computeSignalLevel(waiting: readonly ToolSnapshot[], { input }: ChainState, policy: AuditPolicy): AuditLevel {
  const levels = waiting.map(({ audit }) => computeToolLevel(policy, audit, input?.tenant ?? null));
  return levels.reduce(chooseLowerLevel, levels.length === 0 ? 'basic' : 'full');
}

function draftParts(
  part: ContentPart,
  original: Json,
  level: AuditLevel,
  masked: (value: Json) => Json,
): readonly DraftPart[] {
  if (original === null || original === '') return [];
  if (level !== 'full') return [{ part, original, stored: undefined }];
  const stored = masked(original);
  return [{ part, original, stored: toCanonicalJson(stored) === toCanonicalJson(original) ? original : stored }];
}

type ToolValue = readonly [tool: string, held: Json];

/** Lists the arguments and the observations of a step's calls. */
function listStepValues({ calls }: Step): readonly ToolValue[] {
  return calls.flatMap(({ tool, input, changedFrom, observation }): ToolValue[] => [
    [tool, input],
    [tool, observation],
    ...(changedFrom === undefined ? [] : [[tool, changedFrom] as const]),
  ]);
}

function listEntryValues(entry: ChainEntry): readonly ToolValue[] {
  switch (entry.type) {
    case 'step-added':
      return listStepValues(entry.step);
    case 'call-completed':
      return [[entry.tool, entry.result.observation]];
    case 'request-decided':
      return [entry.decision.input, entry.decision.answer].flatMap((value) =>
        value === undefined ? [] : [[entry.tool, value] as const],
      );
    default:
      return [];
  }
}
