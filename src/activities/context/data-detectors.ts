/**
 * Finds classes of data in a chain before a request leaves the worker, so that the choice of the model and the last check obey them.
 *
 * 1. Every text that a request may contain passes here, however it got into the chain: the task, earlier messages, messages of people,
 *    and what the model sees of results, also of the user's own activities, of people and of sub-chains. Files are not searched.
 * 2. The classes found are in the fact of the model call, so the chain, its sub-chains and its readers have them.
 * 3. Each text is searched once per worker: chains are cached, and their calls are the keys.
 */

import { log } from '@temporalio/activity';
import { check, isObject, type Json, toCanonicalJson, toErrorMessage, toValueText } from '../../core/lib/index.js';
import { type Chain, changeState, checkDataClass, findEarlier, mergeDataClasses } from '../../core/model/index.js';
import {
  createRedactor,
  type OptionalKind,
  optionalKinds,
  type PatternKind,
  patternKinds,
} from '../../core/redact/index.js';

export interface DataDetector {
  /** The class that marks a chain with such data, such as `personal`. */
  readonly dataClass: string;
  /**
   * `redactor`: a secret or personal data of the kinds, as redaction finds them. Or your own function: true for a text with such data.
   * Contract: pure and quick. One that throws counts as true.
   */
  readonly find: 'redactor' | ((text: string) => boolean);
  /** Kinds for `redactor`. Default: `email`, `phone`, `ssn`, `iban`, `card`. */
  readonly kinds?: readonly (PatternKind | OptionalKind)[];
}

const personalKinds = ['email', 'phone', 'ssn', 'iban', 'card'] as const;

const allKinds: readonly string[] = [...patternKinds, ...optionalKinds];

const checkMembers = check.members<DataDetector>({
  dataClass: checkDataClass,
  find: check.define(
    (value) => value === 'redactor' || typeof value === 'function',
    "must be 'redactor' or a function: (text) => boolean",
  ),
  kinds: check.list(check.oneOf(allKinds)),
});

/** Returns what is wrong with detectors, as a sentence without its full stop, or null. */
export const checkDataDetectors: check.ValueCheck = (value, at) =>
  check.list((item, place) => checkMembers(item, place) ?? findMissing(item, place))(value, at);

function findMissing(item: unknown, at: string): string | null {
  if (!isObject(item) || item.dataClass === undefined) return `${at}.dataClass is missing`;
  if (item.find === undefined) return `${at}.find is missing`;
  return item.kinds !== undefined && item.find !== 'redactor'
    ? `${at}.kinds has no effect without find: 'redactor'`
    : null;
}

/** Marks a chain with the classes of its data. */
export type DataMarker = (chain: Chain) => MarkedChain;

export interface MarkedChain {
  readonly chain: Chain;
  /** Classes that the chain did not have, for the fact. Absent for none. */
  readonly found: { readonly dataClasses?: readonly string[] };
}

export function createDataMarker(detectors: readonly DataDetector[] = []): DataMarker {
  const known = new WeakMap<object, readonly string[]>();
  const listClasses = (part: ChainPart): readonly string[] => {
    const before = known.get(part.key);
    if (before !== undefined) return before;
    const classes = detectors.filter((detector) => part.values.some((value) => finds(detector, value)));
    const names = classes.map(({ dataClass }) => dataClass);
    known.set(part.key, names);
    return names;
  };
  return (chain) => {
    const { state } = chain;
    if (detectors.every(({ dataClass }) => state.dataClasses.includes(dataClass))) return { chain, found: {} };
    const found = listParts(chain).flatMap(listClasses);
    const dataClasses = mergeDataClasses(state.dataClasses, found);
    if (dataClasses === state.dataClasses) return { chain, found: {} };
    const added = dataClasses.filter((name) => !state.dataClasses.includes(name));
    return { chain: { ...chain, state: changeState(state, { dataClasses }) }, found: { dataClasses: added } };
  };
}

interface ChainPart {
  /** An object of the chain that is not replaced while its values remain. */
  readonly key: object;
  readonly values: readonly Json[];
}

/** Invariant 1. Texts of the model itself repeat these, or what the model was trained with. */
function listParts({ state: { input }, steps, messages }: Chain): readonly ChainPart[] {
  const calls = steps.flatMap((step) => step.calls).filter(({ observation }) => observation !== null);
  const earlier = findEarlier(input)?.messages ?? [];
  const plan = input?.plan === undefined ? [] : [input.plan as unknown as Json];
  return [
    ...(input === null ? [] : [{ key: input, values: [input.task, ...earlier.map(({ text }) => text), ...plan] }]),
    ...messages.map((message) => ({ key: message, values: [message.text] })),
    ...calls.map((call) => ({ key: call, values: [call.observation] })),
  ];
}

function finds({ dataClass, find, kinds = personalKinds }: DataDetector, value: Json): boolean {
  if (find === 'redactor') return isRedacted(kinds, value);
  try {
    return find(toValueText(value));
  } catch (error) {
    log.warn(`The detector of ${dataClass} threw, so its data counts as ${dataClass}: ${toErrorMessage(error)}`);
    return true;
  }
}

/** A redactor of its own: it remembers what it has seen. */
function isRedacted(kinds: readonly (PatternKind | OptionalKind)[], value: Json): boolean {
  const redactor = createRedactor({
    kinds: patternKinds.filter((kind) => kinds.includes(kind)),
    optionalKinds: optionalKinds.filter((kind) => kinds.includes(kind)),
  });
  return toCanonicalJson(redactor.value(value)) !== toCanonicalJson(value);
}
