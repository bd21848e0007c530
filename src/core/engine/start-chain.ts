/**
 * Applies the start of a chain. Any program can start the workflow, in any language, and the start may contain anything: an
 * agent and a task suffice, other members have defaults, and an invalid start ends the chain.
 */

import { check, isObject, isTooDeepInput, type JsonObject, omitNulls } from '../lib/index.js';
import {
  type ChainInput,
  type ChainState,
  changeState,
  checkDataClasses,
  checkEarlier,
  checkFileList,
  checkMetadata,
  checkThreadRef,
  emptyState,
  type Fact,
  firstRules,
  isDataClassList,
  isKnownRules,
  isLineage,
  isName,
  type StopReason,
  toDataClasses,
  toUnknownRulesReason,
} from '../model/index.js';
import { type Advance, andThen, emit } from './state/advance.js';
import { stopChain } from './state/stop.js';

export function startChain(state: ChainState, { chainId, input, at }: Extract<Fact, { type: 'started' }>): Advance {
  const members = omitNulls(input);
  const own = toStoredInput(members);
  const { now, history, facts, head } = state;
  // The start comes first in canonical order, but `facts` and `head` already count it.
  const started = emit(
    changeState(emptyState, {
      now,
      history,
      facts,
      head,
      input: own,
      chainId,
      startedAt: at,
      dataClasses: listStartClasses(own),
    }),
    { type: 'chain-started', at, input: own },
  );
  const problem = validateChainInput(members);
  return problem === null ? started : andThen(started, (next) => stopChain(next, 'failure', problem));
}

/** Clients in typed languages send null for members that their caller omits. */
/** Returns why the input is invalid, as a stop reason, or null. */
function validateChainInput(input: unknown): StopReason | null {
  if (isTooDeepInput(input)) return { code: 'nested_start' };
  const values: JsonObject = isObject(input) ? input : {};
  const { rules = firstRules, agent, task, lineage } = values;
  if (!isKnownRules(rules)) return toUnknownRulesReason(rules);
  if (typeof agent !== 'string' || typeof task !== 'string') return { code: 'incomplete_start' };
  // No worker could ever have it: the chain would wait in vain.
  if (!isName(agent)) return { code: 'invalid_start', member: 'agent', expected: 'the name of an agent' };
  for (const [member, check, expected] of memberChecks) {
    if (values[member] !== undefined && !check.is(values[member])) return { code: 'invalid_start', member, expected };
  }
  return lineage === undefined || isLineage(lineage) ? null : { code: 'invalid_lineage' };
}

const memberChecks: readonly (readonly [member: string, check: check.Check, expected: string])[] = [
  ['model', check.text, 'a text or null'],
  ['tenant', check.text, 'a text or null'],
  ['user', check.text, 'a text or null'],
  // A text in place of the list would contain parts of its words.
  ['roles', check.texts, 'a list of texts'],
  ['dataClasses', checkDataClasses, 'a list of data classes'],
  ['metadata', checkMetadata, 'an object of at most 16 KB'],
  ['awaitAgent', check.boolean, 'true or false'],
  ['files', checkFileList, 'a list of stored files'],
  ['earlier', checkEarlier, 'messages with a role and a text'],
  ['thread', checkThreadRef, 'an id, a number from 2, and the chain that it follows'],
];

function listStartClasses({ dataClasses }: ChainInput): readonly string[] {
  return isDataClassList(dataClasses) ? toDataClasses(dataClasses) : [];
}

/** Returns the input with its defaults and without its origin, which `adoptOrigin` reads once. */
function toStoredInput(input: unknown): ChainInput {
  // A state that is nested too deeply could not be serialized.
  if (!isObject(input) || isTooDeepInput(input)) return { ...defaultMembers, rules: 0, agent: '', task: '' };
  const { origin: _, ...own } = input;
  return { ...defaultMembers, ...(own as unknown as ChainInput) };
}

/** Members that a start may omit, or set to null. */
const defaultMembers = {
  rules: firstRules,
  model: null,
  limits: {},
  tenant: null,
  user: null,
  roles: [],
} satisfies Partial<ChainInput>;
