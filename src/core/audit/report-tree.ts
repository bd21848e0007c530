/** Formats the steps of a chain as a tree: one line per thought, call, request and command. */

import { toValueText } from '../lib/index.js';
import { hasResult } from '../model/index.js';
import { findArgumentSources, formatFence } from '../view/index.js';
import type { AuditEntry, ContentPart } from './entry.js';
import type { EntryOfType, ReportIndex } from './report-index.js';

export function formatTree(scene: ReportIndex): string | null {
  const sources = findSources(scene);
  const lines = scene.all.flatMap(({ entry }) => formatTreeLines(entry, scene, sources));
  if (lines.length === 0) return null;
  return formatFence(lines.map((line, at) => `${at === lines.length - 1 ? '└─' : '├─'} ${line}`).join('\n'));
}

type Sources = ReturnType<typeof findArgumentSources>;

/** Of the contents that the log has: what is erased or not stored names nothing. */
function findSources({ listByType, value }: ReportIndex): Sources {
  const [started] = listByType('chain_started');
  const toValues = (entries: readonly EntryOfType<'tool_called' | 'tool_ended'>[], part: ContentPart) =>
    entries.flatMap((entry) => {
      const content = value(entry, part);
      return content === undefined ? [] : [{ call: entry.what.call, value: content }];
    });
  const results = listByType('tool_ended').filter(({ what }) => hasResult(what.status) && what.reusedFrom === null);
  return findArgumentSources(
    toValueText((started === undefined ? undefined : value(started, 'task')) ?? ''),
    toValues(listByType('tool_called'), 'arguments'),
    toValues(results, 'result'),
  );
}

function formatTreeLines(entry: AuditEntry, scene: ReportIndex, sources: Sources): readonly string[] {
  const { part, wasRequested } = scene;
  const by = entry.who?.by ?? 'unknown';
  const because = (text: string | null) => (text === null ? '' : ` "${text}"`);
  switch (entry.type) {
    case 'model_called': {
      const step = entry.what.step === null ? 'Between steps' : `Step ${entry.what.step}`;
      const thought = part(entry, 'thought');
      const problem = part(entry, 'problem');
      const answer = part(entry, 'answer');
      return [
        ...(thought === null ? [] : [`${step}: [THINKING] "${thought}"`]),
        ...(problem === null ? [] : [`${step}: [UNREADABLE] ${problem}`]),
        ...(answer === null ? [] : [`${step}: [ANSWER] ${answer}`]),
      ];
    }
    case 'model_failed':
      return [`[MODEL: failed] ${entry.what.kind}`];
    case 'tool_called': {
      const { call, tool, kind } = entry.what;
      const label = kind === 'external' ? 'TOOL' : kind.toUpperCase();
      const line = `Step ${toStepNumber(call)}: [${label}: ${tool}] ${part(entry, 'arguments') ?? ''}`.trimEnd();
      // The result of a call with a request follows the decision, as its own line.
      const repeats = sources.get(call);
      const from = repeats === undefined ? '' : ` [repeats ${repeats.join(', ')}]`;
      return [`${line}${from}${wasRequested(call) ? '' : ` -> ${formatResult(call, scene)}`} (${call})`];
    }
    case 'tool_ended': {
      const { call, tool } = entry.what;
      return wasRequested(call)
        ? [`Step ${toStepNumber(call)}: [RESULT: ${tool}] -> ${formatResult(call, scene)} (${call})`]
        : [];
    }
    case 'call_not_permitted': {
      const { call, tool, required } = entry.what;
      return [
        `Step ${toStepNumber(call)}: [NOT PERMITTED to ${by}] ${tool} (${call}) requires ${required.join(' or ')}`,
      ];
    }
    case 'approval_requested':
      return [
        `Step ${toStepNumber(entry.what.call)}: [REQUESTED] ${entry.what.tool} (${entry.what.call}):${because(part(entry, 'reason'))}`,
      ];
    case 'decided': {
      const { decision, tool, call } = entry.what;
      return [
        `Step ${toStepNumber(call)}: [${decision.toUpperCase().replaceAll('_', ' ')} by ${by}] ${tool} (${call})${because(part(entry, 'reason'))}`,
      ];
    }
    case 'command_received':
      return [`[${entry.what.command.toUpperCase()} by ${by}]${because(part(entry, 'text') ?? part(entry, 'reason'))}`];
    case 'cancel_requested':
      return [`[CANCEL by ${by}]${because(part(entry, 'reason'))}`];
    case 'plan_made':
      return [`[PLAN ${entry.what.revision}] ${entry.what.tasks.join(', ')}`];
    case 'sub_chain_started':
      return [
        `Step ${toStepNumber(entry.what.call)}: [SUB-AGENT: ${entry.what.subAgent}] ${entry.what.subChain}${because(part(entry, 'task'))}`,
      ];
    case 'sub_chain_ended':
      return [`Step ${toStepNumber(entry.what.call)}: [SUB-AGENT ended] ${entry.what.subChain}: ${entry.what.outcome}`];
    case 'chain_ended':
      return [`Ended: ${entry.what.outcome}.${because(part(entry, 'reason'))}`];
    default:
      return [];
  }
}

function formatResult(call: string, { part, findResult }: ReportIndex): string {
  const ended = findResult(call);
  if (ended === undefined) return 'no result in this report';
  const { status, reusedFrom } = ended.what;
  const result = part(ended, 'result') ?? (reusedFrom === null ? 'nothing' : `as ${reusedFrom}`);
  return status === 'ok' ? result : `${status.replaceAll('_', ' ')}: ${result}`;
}

function toStepNumber(call: string): string {
  return call.split('.')[0] ?? call;
}
