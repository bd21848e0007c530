/**
 * Renders a summary of a chain's oldest steps: the notes of a model on them, and by rule, for steps without notes, a line for each, with its thought, its calls and the start of their
 * observations. It depends on these steps alone, so it stays the same from request to request, and the provider's prompt
 * cache stays valid. Messages of people follow unchanged.
 */

import { findCall, summaryHeadBytes, summaryLineLength } from '../engine/index.js';
import { countUtf8Bytes, formatCall, frameText, shorten, toOneLine, toValueText } from '../lib/index.js';
import { type Call, type Chain, type ConversationSummary, formatTask, hasResult, type Step } from '../model/index.js';
import { renderPeopleMessages } from './people-messages.js';

/** UTF-16 units of the parts of a line. */
const lengths = { thought: 200, call: 100, observation: 120 };

/** Returns the steps that the request contains in full. */
export function listRenderedSteps({ state, steps }: Chain): readonly Step[] {
  const { summary } = state.conversation;
  return summary === null ? steps : steps.filter(({ number }) => number > summary.steps);
}

/** Returns the newest notes of a model on the oldest steps; empty without any. */
export function findNotes({ notices }: Chain): string {
  return notices.findLast(({ code }) => code === 'notes_written')?.text ?? '';
}

/** Returns the summary and the messages of people in it; empty where all steps are rendered. */
export function renderSummary(chain: Chain): readonly string[] {
  const { summary } = chain.state.conversation;
  if (summary === null) return [];
  const steps = chain.steps.filter(({ number }) => number <= summary.steps);
  return [renderSteps(steps, chain, summary), ...steps.flatMap(({ number }) => renderPeopleMessages(chain, number))];
}

/** The newest steps without notes have lines, as many as fit. */
function renderSteps(steps: readonly Step[], chain: Chain, { bytes, notes }: ConversationSummary): string {
  const last = steps.at(-1)?.number ?? 0;
  const noted = notes?.steps ?? 0;
  const maxBytes = bytes - (notes?.bytes ?? 0) - summaryHeadBytes;
  const plan = [renderPlan(steps, maxBytes), ...(noted === last ? [] : [renderLearnings(last, chain, maxBytes)])]
    .filter((part) => part !== '')
    .join('\n');
  let left = maxBytes - countUtf8Bytes(plan);
  const lines: string[] = [];
  for (const step of steps.filter(({ number }) => number > noted).reverse()) {
    const line = renderStep(step, chain);
    left -= countUtf8Bytes(line) + 1;
    if (left < 0) break;
    lines.unshift(line);
  }
  const omitted = steps.length - noted - lines.length;
  return [
    `Summary of steps 1 to ${last}.${noted === last ? '' : ' Observations are cut to their start. If you need the rest of one, call its tool again.'}`,
    ...(noted === 0 ? [] : [`Notes on steps 1 to ${noted}: ${frameText(findNotes(chain))}`]),
    ...(omitted === 0 ? [] : [`Steps ${noted + 1} to ${noted + omitted} are left out.`]),
    ...lines,
    ...(plan === '' ? [] : [plan]),
  ].join('\n');
}

function renderStep({ number, thought, calls, answer, problem }: Step, chain: Chain): string {
  const parts = [
    ...(thought === null ? [] : [shorten(toOneLine(thought), lengths.thought)]),
    ...calls.map((call) => renderCall(call, chain)),
    ...(answer === null ? [] : [`Answer: ${quoteStart(toValueText(answer))}`]),
    ...(problem === null ? [] : ['The reply could not be read.']),
  ];
  return shorten(`${number}. ${parts.join(' ')}`, summaryLineLength);
}

/** Quotes the observation: it is a text of a tool, which could imitate the lines around it. */
function renderCall(call: Call, { steps }: Chain): string {
  const made = shorten(toOneLine(formatCall(call.tool, call.input)), lengths.call);
  const { observation } = call.reusedFrom === null ? call : (findCall(steps, call.reusedFrom) ?? call);
  const note = hasResult(call.status) ? '' : `${call.status}: `;
  return `${made} -> ${note}${observation === null ? '(no output)' : quoteStart(toValueText(observation))}`;
}

function quoteStart(text: string): string {
  return JSON.stringify(shorten(toOneLine(shorten(text, 4 * lengths.observation)), lengths.observation));
}

/** Renders the newest learnings until a step, in at most a quarter of the bytes. */
function renderLearnings(last: number, { notices }: Chain, maxBytes: number): string {
  const learned = notices.filter(({ code, step }) => code === 'learned' && step <= last).slice(-maxSummaryLearnings);
  if (learned.length === 0) return '';
  const text = ['Learned so far:', ...learned.map((notice) => `- ${shorten(notice.text, lengths.thought)}`)].join('\n');
  return shorten(text, Math.max(1, Math.floor(maxBytes / 12)));
}

const maxSummaryLearnings = 5;

/** Renders the plan as it was after the last of these steps, in at most half of the bytes. */
function renderPlan(steps: readonly Step[], maxBytes: number): string {
  const plan = steps.findLast((step) => step.plan !== undefined)?.plan;
  if (plan === undefined) return '';
  const text = ['The plan after these steps:', ...plan.tasks.map((task) => toOneLine(formatTask(task)))].join('\n');
  return shorten(text, Math.max(1, Math.floor(maxBytes / 6)));
}
