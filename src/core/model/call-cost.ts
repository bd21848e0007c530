/**
 * What a tool call may cost (L6). A tool whose calls cost has a `CallCost` in its snapshot; from it and from the arguments
 * of a call follow the models that the call may ask, and the maximum cost of each.
 */

import { check, countUtf8Bytes, findOwn, formatCount, isObject, type Json } from '../lib/index.js';
import { estimateTokens, fitsWindow } from './context-window.js';
import { defaults } from './defaults.js';
import type { Usage } from './model.js';
import type { Price } from './price.js';
import { addUsd, checkSettle, computeMaxCost, type Reservation } from './usage.js';

/** A model that the calls of a tool may ask. */
export interface CallableModel {
  /** As the tool names it: an alias, or an id. */
  readonly name: string;
  /** Name of the provider that is called. */
  readonly provider: string;
  /** The model's id in requests to the provider. */
  readonly id: string;
  /** Null if the catalogue has no price. */
  readonly price: Price | null;
  /** Null if the catalogue does not have it. */
  readonly contextTokens: number | null;
  /** Most output tokens of one request. */
  readonly maxTokens: number;
  readonly takesTemperature: boolean;
}

/** Parts that all tools have which ask models. */
interface ModelsCost {
  /** In the order of the tool's definition. */
  readonly models: readonly CallableModel[];
  /** Most output tokens of one answer. */
  readonly maxTokens: number;
  /** UTF-8 bytes of the tool's own instructions in each request. */
  readonly instructionBytes: number;
}

/** What a call costs that asks models. */
export type ModelCallCost =
  /** The call asks one model: the one that its argument `model` names, or the first. */
  | ({ readonly kind: 'model' } & ModelsCost)
  /** The call asks all models, and a judge reads their answers; null without a judge. */
  | ({ readonly kind: 'consensus'; readonly judge: CallableModel | null } & ModelsCost)
  /** The other side of the call may have the model asked so many times. It writes the prompts, of `instructionBytes` at most. */
  | ({ readonly kind: 'sampling'; readonly requests: number } & ModelsCost)
  /** A result above so many tokens is summarized by the model. A call that cannot pay for it runs all the same. */
  | ({ readonly kind: 'summary'; readonly aboveTokens: number } & ModelsCost);

/** What a call costs. Absent from the snapshots of tools whose calls are free. */
export type CallCost =
  | ModelCallCost
  /** A price of its own, in US dollars: the most that an attempt costs. */
  | { readonly kind: 'fee'; readonly usd: number };

/** A request to a model that a call may make, and its maximum cost. */
export interface CostPart {
  readonly role: 'answer' | 'judge' | 'summary';
  readonly model: CallableModel;
  readonly reservation: Reservation;
}

/** How an attempt at a call used one of its parts (of a fee: 0), as its worker reports it. A part that it does not name was not asked. */
export interface ModelUse {
  /** Position in the call's parts. */
  readonly part: number;
  /** The model that answered, as its provider names it; null without an answer. */
  readonly model: string | null;
  readonly provider: string | null;
  readonly settle: 'nothing' | 'usage' | 'reservation';
  /** Null if the provider reported no plausible usage. */
  readonly usage: Usage | null;
  /** Milliseconds of the request. */
  readonly durationMs: number;
  /** Kind of its failure. Absent if it answered. */
  readonly failure?: string;
  /** Of a fee: US dollars. */
  readonly usd?: number;
}

/** The charge for a request that a call made to a model, or the fee of the call. */
export interface ModelCharge {
  readonly role: CostPart['role'] | 'fee';
  /** As the tool names it: an alias, or an id. Of a fee: the tool. */
  readonly name: string;
  /** The model that answered, as its provider names it; null without an answer, and for a lost attempt. */
  readonly model: string | null;
  readonly provider: string | null;
  readonly usage: Usage;
  /** US dollars; null without a price. */
  readonly costUsd: number | null;
  /** The whole reservation, where no plausible usage was reported. Absent otherwise. */
  readonly charged?: Reservation;
  /** Milliseconds; null for a lost attempt. */
  readonly durationMs: number | null;
  /** Kind of its failure; `lost` where its worker reported nothing. Absent if it answered. */
  readonly failure?: string;
}

/** Tokens that a provider may add to a request. */
const preambleTokens = 1_024;

/** Bytes around each answer in the request to a judge. */
const answerOverheadBytes = 256;

/** UTF-8 bytes of an answer that a judge reads, for each of its tokens; longer ones are clipped. */
const judgedBytesPerToken = 4;

/** Returns the UTF-8 bytes of each answer that a judge reads at most. */
export function countJudgedBytes(maxTokens: number): number {
  return maxTokens * judgedBytesPerToken;
}

/** Returns the requests that a call with these arguments may make, in a fixed order. */
export function listCostParts(cost: CallCost, input: Json): readonly CostPart[] {
  if (cost.kind === 'fee') return [];
  if (cost.kind === 'sampling') return listSamplingParts(cost);
  if (cost.kind === 'summary')
    return cost.models.map((model) => createPart('summary', model, cost.instructionBytes, cost.maxTokens));
  const maxTokens = findMaxTokens(cost, input);
  const bytes = cost.instructionBytes + countTextMember(input, 'prompt') + countTextMember(input, 'system');
  switch (cost.kind) {
    case 'model': {
      const model = findChosenModel(cost, input);
      return model === undefined ? [] : [createPart('answer', model, bytes, maxTokens)];
    }
    case 'consensus': {
      const answers = cost.models.map((model) => createPart('answer', model, bytes, maxTokens));
      if (cost.judge === null) return answers;
      const judged = cost.models.length * (countJudgedBytes(maxTokens) + answerOverheadBytes);
      return [...answers, createPart('judge', cost.judge, bytes + judged, maxTokens)];
    }
  }
}

/** UTF-8 bytes around a result in the request for its summary: the instructions and the call. */
export const summaryOverheadBytes = 2_048;

/** Returns the UTF-8 bytes of the longest request for a summary: it fits the window by an estimate of two bytes a token. */
export function boundSummaryRequest({ contextTokens }: Pick<CallableModel, 'contextTokens'>): number {
  return summaryOverheadBytes + Math.min(defaults.summarizedBytes, 2 * (contextTokens ?? defaults.summarizedBytes));
}

/** The arguments of the call are for the other side. */
function listSamplingParts(cost: Extract<CallCost, { readonly kind: 'sampling' }>): readonly CostPart[] {
  const { models, requests, instructionBytes, maxTokens } = cost;
  return Array.from({ length: requests }, () => models)
    .flat()
    .map((model) => createPart('answer', model, instructionBytes, maxTokens));
}

/** Returns the model that a call asks; undefined if its arguments name another one. */
function findChosenModel({ models }: Pick<ModelCallCost, 'models'>, input: Json): CallableModel | undefined {
  const chosen = isObject(input) ? findOwn(input, 'model') : undefined;
  return chosen === undefined ? models[0] : models.find(({ name }) => name === chosen);
}

function findMaxTokens(cost: ModelCallCost, input: Json): number {
  const maxTokens = isObject(input) ? findOwn(input, 'maxTokens') : undefined;
  return check.count.is(maxTokens) && maxTokens >= 1 ? Math.min(maxTokens, cost.maxTokens) : cost.maxTokens;
}

/** No token is shorter than a byte. */
function countTextMember(input: Json, name: string): number {
  const text = isObject(input) ? findOwn(input, name) : undefined;
  return typeof text === 'string' ? countUtf8Bytes(text) : 0;
}

function createPart(role: CostPart['role'], model: CallableModel, bytes: number, maxTokens: number): CostPart {
  const inputTokens = bytes + preambleTokens;
  const outputTokens = Math.min(maxTokens, model.maxTokens);
  return {
    role,
    model,
    reservation: { inputTokens, outputTokens, usd: computeMaxCost(model.price, inputTokens, outputTokens) },
  };
}

/** Returns the UTF-8 bytes of the longest request that a reservation pays for. */
export function countPaidBytes({ inputTokens }: Reservation): number {
  return inputTokens - preambleTokens;
}

/** Describes why a request does not fit the window of its model; null if it does. An estimate: a bound would reject too many. */
export function describeOverflow({ model, reservation }: CostPart, bytes: number): string | null {
  const { name, contextTokens } = model;
  const tokens = estimateTokens(bytes);
  if (fitsWindow({ contextTokens, maxTokens: reservation.outputTokens }, tokens)) return null;
  return `${name} reads ${formatCount(contextTokens ?? 0)} tokens, its answer included, and the prompt has about ${formatCount(tokens)}`;
}

/** Returns the most that all parts together may cost; dollars are null if no part has a price. */
export function sumReservations(parts: readonly Pick<CostPart, 'reservation'>[]): Reservation {
  return parts.reduce<Reservation>(
    (sum, { reservation: { inputTokens, outputTokens, usd } }) => ({
      inputTokens: sum.inputTokens + inputTokens,
      outputTokens: sum.outputTokens + outputTokens,
      usd: addUsd(sum.usd, usd),
    }),
    { inputTokens: 0, outputTokens: 0, usd: null },
  );
}

/** Returns the maximum cost of an attempt. */
export function computeReservation(cost: CallCost, input: Json): Reservation {
  if (cost.kind === 'fee') return { inputTokens: 0, outputTokens: 0, usd: cost.usd };
  return sumReservations(listCostParts(cost, input));
}

/** Returns the maximum cost of a call; null for a call that is free. */
export function computeMaxCallCost(cost: CallCost | undefined, input: Json): Reservation | null {
  return cost === undefined ? null : computeReservation(cost, input);
}

/** Returns all models that calls of a tool may ask, a judge included. */
export function listCallableModels(cost: ModelCallCost): readonly CallableModel[] {
  return cost.kind === 'consensus' && cost.judge !== null ? [...cost.models, cost.judge] : cost.models;
}

/** The reports of a worker. Their usage may be anything: the budget checks it when it is settled. */
export const checkModelUses = check.list(
  check.shape<Omit<ModelUse, 'usage'>>({
    part: check.count,
    model: check.nullable(check.text),
    provider: check.nullable(check.text),
    settle: checkSettle,
    durationMs: check.fromZero,
    failure: check.optional(check.text),
    usd: check.optional(check.number),
  }),
);

/** Reads the uses that a failed attempt reported; null if it reported none, as a lost one. */
export function parseModelUses(details: Json): readonly ModelUse[] | null {
  const uses = isObject(details) ? findOwn(details, 'uses') : undefined;
  return checkModelUses.is(uses) ? (uses as readonly ModelUse[]) : null;
}
