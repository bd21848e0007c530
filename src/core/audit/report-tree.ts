/** What a chain did, as people draw it: one line for each thought, call, request and word. */

import { fence } from '../print/markdown.js';
import type { AuditEntry } from './entry.js';
import type { ChainScene } from './report-scene.js';

export function tree(scene: ChainScene): string | null {
  const lines = scene.all.flatMap(({ entry }) => treeLines(entry, scene));
  if (lines.length === 0) return null;
  return fence(lines.map((line, at) => `${at === lines.length - 1 ? '└─' : '├─'} ${line}`).join('\n'));
}

function treeLines(entry: AuditEntry, scene: ChainScene): readonly string[] {
  const { part, wasAsked } = scene;
  const by = entry.who?.by ?? 'somebody';
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
      const asked = `Step ${stepOf(call)}: [${label}: ${tool}] ${part(entry, 'arguments') ?? ''}`.trimEnd();
      // Of one that a person was asked about, the result stands behind what they said.
      return [`${asked}${wasAsked(call) ? '' : ` -> ${resultText(call, scene)}`} (${call})`];
    }
    case 'tool_ended': {
      const { call, tool } = entry.what;
      return wasAsked(call) ? [`Step ${stepOf(call)}: [RESULT: ${tool}] -> ${resultText(call, scene)} (${call})`] : [];
    }
    case 'approval_asked':
      return [
        `Step ${stepOf(entry.what.call)}: [ASKED] ${entry.what.tool} (${entry.what.call}):${because(part(entry, 'reason'))}`,
      ];
    case 'decided': {
      const { decision, tool, call } = entry.what;
      return [
        `Step ${stepOf(call)}: [${decision.toUpperCase().replaceAll('_', ' ')} by ${by}] ${tool} (${call})${because(part(entry, 'reason'))}`,
      ];
    }
    case 'directed':
      return [
        `[${entry.what.direction.toUpperCase()} by ${by}]${because(part(entry, 'text') ?? part(entry, 'reason'))}`,
      ];
    case 'cancel_requested':
      return [`[CANCEL by ${by}]${because(part(entry, 'reason'))}`];
    case 'plan_made':
      return [`[PLAN ${entry.what.revision}] ${entry.what.tasks.join(', ')}`];
    case 'sub_chain_began':
      return [
        `Step ${stepOf(entry.what.call)}: [SUB-AGENT: ${entry.what.subAgent}] ${entry.what.subChain}${because(part(entry, 'task'))}`,
      ];
    case 'sub_chain_ended':
      return [`Step ${stepOf(entry.what.call)}: [SUB-AGENT ended] ${entry.what.subChain}: ${entry.what.outcome}`];
    case 'chain_ended':
      return [`Ended: ${entry.what.outcome}.${because(part(entry, 'reason'))}`];
    default:
      return [];
  }
}

function resultText(call: string, { part, resultOf }: ChainScene): string {
  const ended = resultOf(call);
  if (ended === undefined) return 'no result in this report';
  const { status, reusedFrom } = ended.what;
  const told = part(ended, 'result') ?? (reusedFrom === null ? 'nothing' : `as ${reusedFrom}`);
  return status === 'ok' ? told : `${status.replaceAll('_', ' ')}: ${told}`;
}

function stepOf(call: string): string {
  return call.split('.')[0] ?? call;
}
