/** Retention rules for archived chains: data, selected by tenant and outcome, counted from a chain's end. */

import { LonghandError } from '../../core/lib/index.js';

/** A retention rule. The most specific one applies: tenant and outcome, then tenant, then outcome, then neither. */
export interface RetentionRule {
  /** Omitted: any. */
  readonly tenant?: string;
  readonly outcome?: string;
  /** From the chain's end. */
  readonly days: number | 'forever';
}

export type Retention = readonly RetentionRule[];

const defaultDays = 90;
const dayMs = 86_400_000;

export interface RetainedChain {
  readonly tenant: string | null;
  readonly outcome: string | null;
}

/** Returns the milliseconds from a chain's end to its deletion; null for ever. */
export function computeRetentionMs(retention: Retention, chain: RetainedChain): number | null {
  const rule = sortRules(retention).find(
    ({ tenant, outcome }) =>
      (tenant === undefined || tenant === chain.tenant) && (outcome === undefined || outcome === chain.outcome),
  );
  const { days } = rule ?? { days: defaultDays };
  return days === 'forever' ? null : days * dayMs;
}

/** Sorts rules by specificity, the most specific first. */
export function sortRules(retention: Retention): Retention {
  const weight = ({ tenant, outcome }: RetentionRule) =>
    (tenant === undefined ? 0 : 2) + (outcome === undefined ? 0 : 1);
  return [...retention].sort((a, b) => weight(b) - weight(a));
}

/** Returns what is wrong with rules, as the end of a sentence; null for valid rules. */
export function validateRetention(rules: unknown): string | null {
  if (!Array.isArray(rules)) return 'expected a list of rules';
  const keys = new Set<string>();
  for (const [at, rule] of rules.entries()) {
    const problem = validateRule(rule);
    if (problem !== null) return `rule ${at + 1} ${problem}`;
    const { tenant = null, outcome = null } = rule as RetentionRule;
    const key = JSON.stringify([tenant, outcome]);
    if (keys.has(key)) return `rule ${at + 1} is for the same chains as an earlier rule`;
    keys.add(key);
  }
  return null;
}

function validateRule(rule: unknown): string | null {
  if (typeof rule !== 'object' || rule === null) return 'is not an object';
  const { days, tenant, outcome, ...others } = rule as { readonly [name: string]: unknown };
  const [other] = Object.keys(others);
  if (other !== undefined) return `has ${other}; it may have tenant, outcome and days`;
  for (const [name, value] of Object.entries({ tenant, outcome })) {
    if (value !== undefined && typeof value !== 'string') return `has an invalid ${name}: expected a string`;
  }
  const isNumber = typeof days === 'number' && Number.isFinite(days) && days >= 0 && days <= 1e6;
  if (days === 'forever' || isNumber) return null;
  const problem = days === undefined ? 'has no days' : `has the days ${JSON.stringify(days)}`;
  return `${problem}; expected a number from 0 to 1,000,000, or "forever"`;
}

/**
 * Reads `LONGHAND_RETENTION`: a number of days, `forever`, or rules as JSON. Empty: 90 days.
 *
 * @throws LonghandError `invalid_policy`
 * @example
 * readRetention({ LONGHAND_RETENTION: '[{ "days": 90 }, { "tenant": "acme", "days": 365 }]' });
 */
export function readRetention({ LONGHAND_RETENTION: text }: NodeJS.ProcessEnv): Retention {
  if (!text) return [];
  if (text === 'forever') return [{ days: 'forever' }];
  if (/^\d+(\.\d+)?$/.test(text)) return parseRetention([{ days: Number(text) }], 'LONGHAND_RETENTION');
  let rules: unknown;
  try {
    rules = JSON.parse(text);
  } catch {
    throw new LonghandError(
      'invalid_policy',
      'LONGHAND_RETENTION is not valid JSON. Use a number of days, or rules: [{ "tenant": "acme", "outcome": "success", "days": 365 }].',
    );
  }
  return parseRetention(rules, 'LONGHAND_RETENTION');
}

/** Validates rules. @throws LonghandError `invalid_policy` */
export function parseRetention(rules: unknown, name: string): Retention {
  const problem = validateRetention(rules);
  if (problem !== null) throw new LonghandError('invalid_policy', `Invalid ${name}: ${problem}.`);
  return rules as Retention;
}
