/**
 * A step in one line: from its tool's template, or a sentence that fits any tool.
 *
 * T1 A template is filled completely or not used: a line never has a gap, braces or `undefined`.
 * T2 Models and services write members: only own members are looked up, only texts, numbers and booleans are printed.
 */

import { findOwn, formatCount, isObject, type Json, shorten } from '../lib/index.js';
import { maxSummaryLength } from '../model/index.js';
import { describeApprovalStep } from './approval-steps.js';
import { formatUncertainty } from './confidence.js';
import type { NoticeStep, ReasoningStatus, ReasoningStep } from './reasoning.js';

/** Values that a template's members are looked up in, in this order. */
export type TemplateValues = readonly Json[];

/** Formats a step. Only the result of an answered call uses the template. */
export function describeStep(step: ReasoningStep, template: string | null, places: TemplateValues): string {
  switch (step.kind) {
    case 'thinking':
      return step.problem === null ? `Thinking${formatUncertainty(step.confidence)}` : 'A reply could not be read';
    case 'tool_call':
      return describeCall(step.tool, step.status);
    case 'approval':
      return describeApprovalStep(step);
    case 'tool_result': {
      const answered = step.status === 'ok' || step.status === 'reused';
      return (
        (answered && template !== null ? fillTemplate(template, places) : null) ??
        describeResult(step.tool, step.status)
      );
    }
    case 'synthesis':
      return `Answered${formatUncertainty(step.confidence)}`;
    case 'notice':
      return noticeTexts[step.notice];
  }
}

const notRunStatuses: ReadonlySet<ReasoningStatus> = new Set(['not_run', 'denied', 'not_permitted'] as const);

function describeCall(tool: string, status: ReasoningStatus): string {
  if (status === 'pending') return `Calling ${tool}`;
  return notRunStatuses.has(status) ? `${tool} was not run` : `Called ${tool}`;
}

function describeResult(tool: string, status: ReasoningStatus): string {
  const texts: { readonly [known in ReasoningStatus]: string } = {
    pending: `${tool} is running`,
    ok: `${tool} answered`,
    error: `${tool} failed`,
    reused: `${tool} answered as before`,
    not_run: `${tool} was not run`,
    cancelled: `${tool} was cancelled`,
    abandoned: `${tool} was abandoned`,
    unknown: `The outcome of ${tool} is unknown`,
    denied: `${tool} was denied`,
    not_permitted: `${tool} was not permitted`,
    answered: `A person answered for ${tool}`,
  };
  return texts[status];
}

const noticeTexts: { readonly [code in NoticeStep['notice']]: string } = {
  limit_usage: 'A part of a limit is used',
  limit_reached: 'A limit was reached',
  limit_question: 'The chain asks a person at a limit',
  stalled: 'The chain made no progress',
  model_retry: 'The model call was retried',
  budget_rejected: 'A budget rejected a model call',
  budget_alert: 'A part of a budget is used',
  model_fallback: 'Another model got the call',
  requeued: 'The chain waits for another worker',
  held: 'The chain waits for a repair',
  cancel_requested: 'The chain was cancelled',
  outcome_unknown: 'The outcome of a call is unknown',
  closing_call: 'The chain is summing up',
  paused: 'The chain was paused',
  resumed: 'The chain was resumed',
  wait_ended: 'A wait was ended',
  breakpoint_set: 'A breakpoint was set',
  limits_raised: 'Limits were raised',
  signal_buffered: 'A signal arrived and is kept',
  signal_dropped: 'A signal was dropped',
  request_escalated: 'More people may decide',
  command_rejected: 'A command was rejected',
  plan_changed: 'The plan was changed',
  learned: 'Something was learned',
  plan_assessed: 'The progress was assessed',
  policy_checked: 'A step was compared with a policy',
  judged: 'The end of the chain was judged',
  reflected: 'The progress was considered',
  thought_repeated: 'A thought was repeated',
  notes_written: 'Notes replace the oldest steps for the model',
  compacted: 'The oldest steps are summarized for the model',
  usage_unreported: 'The provider reported no plausible usage',
  message: 'A person sent a message',
};

/** The line of a call by its arguments, or of a result by its members; null if the template does not fit. */
export function formatByTemplate(template: string | undefined, value: Json): string | null {
  const line = template === undefined ? null : fillTemplate(template, [value]);
  return line === null || line.trim() === '' ? null : toSummaryLine(line);
}

/** Fills the template; null if a member is missing (T1). */
export function fillTemplate(template: string, places: TemplateValues): string | null {
  if (validateTemplate(template) !== null) return null;
  let missing = false;
  const line = template.replace(/\{([^{}]*)\}/g, (_, path: string) => {
    const text = places
      .map((place) => formatMember(findMember(place, path.trim().split('.'))))
      .find((memberText) => memberText !== null);
    missing ||= text === undefined;
    return text ?? '';
  });
  return missing ? null : line;
}

/** Returns the members of a template that the value has, as texts, in its order. */
export function listTemplateTexts(template: string, value: Json): readonly string[] {
  if (validateTemplate(template) !== null) return [];
  const paths = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, path = '']) => path.trim().split('.'));
  return [...new Set(paths.flatMap((path) => formatMember(findMember(value, path)) ?? []))];
}

/** Returns the problem of a template, or null. */
export function validateTemplate(template: string): string | null {
  const rest = template.replace(/\{[^{}]*\}/g, (braces) => (/[^{}\s]/.test(braces) ? '' : braces));
  if (/\{\s*\}/.test(rest)) return 'has empty braces; expected a member name';
  return /[{}]/.test(rest) ? 'has an unmatched brace' : null;
}

/** T2. `length` of an array is allowed: most summaries need it. */
function findMember(value: Json, path: readonly string[]): Json | undefined {
  let at: Json | undefined = value;
  for (const key of path) {
    if (isObject(at)) at = findOwn(at, key);
    else if (Array.isArray(at))
      at = key === 'length' ? at.length : /^\d+$/.test(key) ? (at[Number(key)] as Json) : undefined;
    else return undefined;
  }
  return at;
}

function formatMember(value: Json | undefined): string | null {
  if (typeof value === 'number') return groupDigits(value);
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** `1,247`, and `1,247.25`: decimals are not grouped. */
function groupDigits(value: number): string {
  return String(value).replace(/^-?\d+/, (whole) => formatCount(Number(whole)));
}

/** Returns the text on one line, cut to the maximum length. */
export function toSummaryLine(text: string): string {
  return shorten(text.replace(/[\s\p{Cc}]+/gu, ' ').trim(), maxSummaryLength);
}
