/** The words of a step as a viewer sees it: for who looks for a text in a chain, and finds no more than may be seen (L8). */

import { asText } from '../lib/json.js';
import type { ApprovalStep } from './reasoning.js';
import type { StepView } from './reasoning-view.js';

export function wordsOf(step: StepView): string {
  if (step.level === 'hidden') return '';
  if (step.level === 'summary') return step.summary;
  switch (step.kind) {
    case 'thinking':
      return `${step.thought ?? ''} ${step.problem ?? ''}`;
    case 'tool_call':
      return `${step.tool} ${asText(step.input)} ${asText(step.changedFrom ?? '')}`;
    case 'approval':
      return [step.tool, step.reason, ...step.decisions.flatMap(saidIn)].join(' ');
    case 'tool_result':
      return asText(step.observation);
    case 'synthesis':
      return asText(step.conclusion);
    case 'notice':
      return step.text;
  }
}

function saidIn({ what, by, reason, input }: ApprovalStep['decisions'][number]): readonly string[] {
  return [what, by ?? '', reason ?? '', asText(input ?? '')];
}
