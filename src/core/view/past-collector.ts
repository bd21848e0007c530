/**
 * What views of a chain's newest steps need of the steps before: a run carries it to the next, so that a reader can begin at
 * the last run's start.
 *
 * 1. A step without texts that are masked, requests, sub-chains, files or an answer is only counted. Every other step is kept
 *    whole: what a viewer sees of it, and the numbers of its marks, depend on the viewer's rules, which no worker knows.
 * 2. The last step is kept whole: its calls may end in the next run.
 * 3. It is bounded. Where it would be larger, or the chain has a plan, it is null from then on: readers read the whole chain.
 * 4. No fact and no decision depends on it. A masked text is one that the redactor changes with its default policy.
 */

import { type ChainEntry, emptyRecord, recordEntries } from '../engine/index.js';
import { countUtf8Bytes, hasPrivatePart, type Json, maskPrivateParts } from '../lib/index.js';
import {
  type Call,
  type CallCount,
  type CallStatus,
  type Chain,
  type ChainState,
  maxReasonSearch,
  type Notice,
  type Past,
  type PersonMessage,
  pastVersion,
  type Step,
} from '../model/index.js';
import { countMarksWithin, createRedactor, type Redactor, snippetLookahead } from '../redact/index.js';
import { countRecords, formatMessage } from './past-text.js';

const maxPastBytes = 64 * 1024;
const maxCounts = 200;

/** Characters of a step's JSON that are examined at once. */
const maxExaminedLength = 256 * 1024;
/** Notices and messages of the last step. */
const maxOpenItems = 500;

/** Collects the past while a chain runs. */
export class PastCollector {
  private record: Omit<Chain, 'state'> = emptyRecord;
  private readonly counts = new Map<string, CallCount>();
  private readonly kept = { steps: [] as Step[], notices: [] as Notice[], messages: [] as PersonMessage[] };
  private keptBytes = 0;
  private isComplete: boolean;
  private readonly redactor = createRedactor();

  /** @param past of the runs before; null where it is unknown */
  constructor(past: Past | null) {
    this.isComplete = past !== null;
    if (past === null) return;
    const last = past.steps.at(-1)?.number ?? 0;
    for (const count of past.counts) this.counts.set(toCountKey(count.tool, count.status), count);
    this.keep(this.kept.steps, past.steps.slice(0, -1));
    this.keep(
      this.kept.notices,
      past.notices.filter(({ step }) => step < last),
    );
    this.keep(
      this.kept.messages,
      past.messages.filter(({ afterStep }) => afterStep < last),
    );
    this.record = {
      ...emptyRecord,
      steps: past.steps.slice(-1),
      notices: past.notices.filter(({ step }) => step >= last),
      messages: past.messages.filter(({ afterStep }) => afterStep >= last),
      pausedContent: past.pausedContent,
    };
  }

  /** L7: a text that cannot be examined must not fail the workflow task. */
  add(state: ChainState, entries: readonly ChainEntry[]): void {
    try {
      this.take(state, entries);
    } catch {
      this.forget();
    }
  }

  private take(state: ChainState, entries: readonly ChainEntry[]): void {
    if (!this.isComplete || entries.length === 0) return;
    if (state.plan !== null) {
      this.forget();
      return;
    }
    const { guidance: _, ...record } = recordEntries(this.record, state, entries);
    this.record = { ...record, guidance: [] };
    if (record.steps.length > 1) this.settle(record.steps.at(-1)?.number ?? 0);
    // A step may wait through any number of messages.
    if (this.record.notices.length + this.record.messages.length > maxOpenItems) this.forget();
  }

  /** Returns the past so far; null where it is not known whole. */
  get past(): Past | null {
    if (!this.isComplete) return null;
    const { steps, notices, messages, pausedContent } = this.record;
    const past: Past = {
      version: pastVersion,
      counts: [...this.counts.values()],
      steps: [...this.kept.steps, ...steps],
      notices: [...this.kept.notices, ...notices],
      messages: [...this.kept.messages, ...messages],
      pausedContent,
    };
    return countBytes(past as unknown as Json) > maxPastBytes ? null : past;
  }

  /** Keeps or counts what is before the step. */
  private settle(number: number): void {
    const { steps, notices, messages } = this.record;
    for (const step of steps.slice(0, -1)) {
      // To examine megabytes would take the time that a workflow task has.
      if (JSON.stringify(step).length > maxExaminedLength) {
        this.forget();
        return;
      }
      if (this.repeatsKept(step) || isNeeded(step, this.redactor)) this.keep(this.kept.steps, [step]);
      else for (const call of step.calls) this.count(call, step.number);
    }
    const isSettled = (step: number) => step < number;
    this.keep(
      this.kept.notices,
      notices.filter((notice) => isSettled(notice.step) && isNoticeNeeded(notice, this.redactor)),
    );
    this.keep(
      this.kept.messages,
      messages.filter((message) => isSettled(message.afterStep) && isMessageNeeded(message, this.redactor)),
    );
    this.record = {
      ...this.record,
      steps: steps.slice(-1),
      notices: notices.filter(({ step }) => !isSettled(step)),
      messages: messages.filter(({ afterStep }) => !isSettled(afterStep)),
    };
    if (this.keptBytes > maxPastBytes || this.counts.size > maxCounts) this.forget();
  }

  /** Whether a call shows the result of a call that was kept. */
  private repeatsKept({ calls }: Step): boolean {
    const kept = new Set(this.kept.steps.map(({ number }) => number));
    return calls.some(({ reusedFrom }) => kept.has(Number.parseInt(reusedFrom ?? '', 10)));
  }

  private count({ tool, status, observation }: Call, first: number): void {
    const key = toCountKey(tool, status);
    const before = this.counts.get(key) ?? { tool, status, calls: 0, records: 0, first };
    const records = before.records + countRecords(observation);
    this.counts.set(key, { ...before, calls: before.calls + 1, records });
  }

  private keep<T extends Step | Notice | PersonMessage>(kept: T[], items: readonly T[]): void {
    kept.push(...items);
    for (const item of items) this.keptBytes += countBytes(item as unknown as Json);
  }

  private forget(): void {
    this.isComplete = false;
    this.record = emptyRecord;
    this.counts.clear();
    for (const items of Object.values(this.kept)) items.length = 0;
  }
}

function toCountKey(tool: string, status: CallStatus): string {
  return `${status} ${tool}`;
}

function countBytes(value: Json): number {
  return countUtf8Bytes(JSON.stringify(value));
}

/** Whether a view shows more of the step than its calls' tools and statuses, or the numbers of marks depend on it. */
function isNeeded(step: Step, redactor: Redactor): boolean {
  const { thought, problem, answer, calls, route } = step;
  if (problem !== null || answer !== null || step.plan !== undefined) return true;
  if (calls.some(isCallNeeded)) return true;
  if (isTextMasked(thought ?? '', redactor) || isTextMasked(route?.reason ?? '', redactor)) return true;
  return calls.some(
    ({ tool, input, observation }) =>
      isTextMasked(tool, redactor) || isValueMasked(input, redactor) || isValueMasked(observation, redactor),
  );
}

function isCallNeeded(call: Call): boolean {
  const { status, endedAt, changedFrom, requests, chains, files, artifacts, visibility } = call;
  return (
    status === 'pending' ||
    endedAt === null ||
    [changedFrom, requests, chains, files, artifacts, visibility].some((member) => member !== undefined)
  );
}

/** The first notices have no step; a last call that summed up decides about the partial answer. */
function isNoticeNeeded({ code, text, step }: Notice, redactor: Redactor): boolean {
  return step === 0 || code === 'closing_call' || isTextMasked(text, redactor);
}

function isMessageNeeded(message: PersonMessage, redactor: Redactor): boolean {
  return message.afterStep === 0 || isTextMasked(formatMessage(message), redactor);
}

/** Also as a reason quotes it: cut, where a number may then look like another one. */
function isTextMasked(text: string, redactor: Redactor): boolean {
  const cut = maxReasonSearch + snippetLookahead;
  return (
    hasPrivatePart(text) ||
    countMarksWithin(text) > 0 ||
    redactor.text(text) !== text ||
    (text.length > cut && redactor.text(text.slice(0, cut)) !== text.slice(0, cut))
  );
}

function isValueMasked(value: Json, redactor: Redactor): boolean {
  if (value === null) return false;
  if (typeof value === 'string')
    return hasPrivatePart(value) || countMarksWithin(value) > 0 || redactor.value(value) !== value;
  const plain = JSON.stringify(value);
  return (
    maskPrivateParts(value) !== value || countMarksWithin(value) > 0 || JSON.stringify(redactor.value(value)) !== plain
  );
}
