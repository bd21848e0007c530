/**
 * What a step says of itself in one line: by its tool's template, or in words that are right for any tool.
 *
 * T1 A template is filled whole or not used: a line never has a hole, braces or `undefined` where a value should be.
 * T2 Members come from models and services: they are looked up as own members only, and only texts, numbers and booleans
 *    are printed.
 */

import { shorten } from '../lib/display.js';
import { findOwn, isObject, type Json } from '../lib/json.js';
import { describeApprovalStep } from './approval-steps.js';
import type { NoticeStep, ReasoningStatus, ReasoningStep } from './reasoning.js';

export const maxSummaryLength = 200;

/** Where a template's members are looked for, the first place first. */
export type TemplateValues = readonly Json[];

/** A template belongs to results: it tells what came of the call, so only a call that was answered is told by it. */
export function describeStep(step: ReasoningStep, template: string | null, places: TemplateValues): string {
  switch (step.kind) {
    case 'thinking':
      return step.problem === null ? 'Thinking' : 'A reply could not be read';
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
      return 'Answered';
    case 'notice':
      return noticeTexts[step.notice];
  }
}

function describeCall(tool: string, status: ReasoningStatus): string {
  if (status === 'pending') return `Calling ${tool}`;
  return status === 'not_run' || status === 'denied' ? `${tool} was not run` : `Called ${tool}`;
}

function describeResult(tool: string, status: ReasoningStatus): string {
  const said: { readonly [known in ReasoningStatus]: string } = {
    pending: `${tool} is running`,
    ok: `${tool} answered`,
    error: `${tool} failed`,
    reused: `${tool} answered as before`,
    not_run: `${tool} was not run`,
    cancelled: `${tool} was cancelled`,
    abandoned: `${tool} was given up`,
    unknown: `Whether ${tool} was done is not known`,
    denied: `${tool} was denied`,
    answered: `A person answered for ${tool}`,
  };
  return said[status];
}

const noticeTexts: { readonly [code in NoticeStep['notice']]: string } = {
  limit_reached: 'A limit was reached',
  stalled: 'The chain made no progress',
  model_retry: 'The model call was retried',
  cancel_requested: 'The chain was cancelled',
  outcome_unknown: 'The outcome of a call is unknown',
  closing_call: 'The chain is summing up',
  paused: 'The chain was paused',
  resumed: 'The chain was resumed',
  breakpoint_set: 'A breakpoint was set',
  limits_raised: 'Limits were raised',
  request_escalated: 'More people may decide',
  command_rejected: 'A command was rejected',
  plan_changed: 'The plan was changed',
  usage_unreported: 'The provider reported no plausible usage',
  message: 'A person sent a message',
};

/** The template with its members in place, or null where one of them is missing (T1). */
export function fillTemplate(template: string, places: TemplateValues): string | null {
  if (validateTemplate(template) !== null) return null;
  let missing = false;
  const line = template.replace(/\{([^{}]*)\}/g, (_, path: string) => {
    const text = places
      .map((place) => formatMember(findMember(place, path.trim().split('.'))))
      .find((found) => found !== null);
    missing ||= text === undefined;
    return text ?? '';
  });
  return missing ? null : line;
}

/** What is wrong with a template, or null. */
export function validateTemplate(template: string): string | null {
  const rest = template.replace(/\{[^{}]*\}/g, (braces) => (/[^{}\s]/.test(braces) ? '' : braces));
  if (/\{\s*\}/.test(rest)) return 'names no member between its braces';
  return /[{}]/.test(rest) ? 'has a brace without its other half' : null;
}

/** T2. An array's `length` is no member of what it holds, and is what most summaries want of it. */
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

/** `1,247`, and `1,247.25`: what comes after the point is not grouped. */
function groupDigits(value: number): string {
  return String(value).replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));
}

/** On one line and short, whatever went into it. */
export function toSummaryLine(text: string): string {
  return shorten(text.replace(/[\s\p{Cc}]+/gu, ' ').trim(), maxSummaryLength);
}
