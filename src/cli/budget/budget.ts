/** `longhand budget`: lists, sets, shows and raises budgets in the store. */

import { formatTime, omitUndefined } from '../../core/lib/index.js';
import {
  type Budget,
  type BudgetKey,
  type BudgetSpender,
  type BudgetStore,
  checkBudget,
  createBudgetStore,
  defaultAlertAt,
  formatAmount,
  formatBudget,
  formatBudgetScope,
  type LedgerAmounts,
  type LedgerCounter,
  type LedgerWindow,
} from '../../store/index.js';
import { getNamespace, getSystemUser, withStore, withWrittenStore } from '../access/open.js';
import { UsageError } from '../flags/usage-error.js';
import { getColors } from '../terminal/colors.js';
import { formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface BudgetScopeFlags {
  readonly tenant?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly per?: LedgerWindow;
}

export interface BudgetAmountFlags extends BudgetScopeFlags {
  readonly usd?: string;
  readonly tokens?: string;
  readonly calls?: string;
}

export interface BudgetSetFlags extends BudgetAmountFlags {
  readonly onLimit: NonNullable<Budget['onLimit']>;
  readonly alertAt?: string;
}

interface JsonFlags {
  readonly json?: boolean;
}

const counters = ['usd', 'tokens', 'calls'] as const;

export async function listBudgets(terminal: Terminal, { json }: JsonFlags): Promise<number> {
  const stored = await withStore((store) => open(store).list());
  if (json) {
    terminal.write(formatJson(stored.map(({ spenders: _, ...each }) => each)));
    return 0;
  }
  if (stored.length === 0) return writeNone(terminal);
  const c = getColors(terminal);
  const heads = ['budget', 'per', 'limits', 'at the limit', 'set by'];
  const cells = stored.map(({ budget, source, setBy }) => [
    { text: formatBudgetScope(budget), paint: c.bold },
    { text: budget.per },
    { text: formatLimits(budget) },
    { text: budget.onLimit ?? 'wait' },
    { text: setBy ?? source },
  ]);
  terminal.write(
    formatTable(
      heads.map((head) => ({ head })),
      cells,
      terminal,
    ),
  );
  return 0;
}

export async function showBudgets(terminal: Terminal, flags: BudgetScopeFlags & JsonFlags): Promise<number> {
  const stored = await withStore((store) => open(store).list());
  const used = stored.flatMap(({ budget, spenders }) => spenders.map((spender) => ({ budget, ...spender })));
  const shown = used.filter((each) => matches(each, flags));
  if (flags.json) {
    terminal.write(formatJson(shown));
    return 0;
  }
  if (stored.length === 0) return writeNone(terminal);
  if (shown.length === 0) {
    terminal.write('No call was made in the current windows of these budgets.\n');
    return 0;
  }
  const c = getColors(terminal);
  const heads = ['budget', 'per', 'used', 'limit', 'part', 'until'];
  const cells = shown.flatMap(({ budget, resetsAt, ...spender }) =>
    listLimits(budget, spender).map(({ counter, spent, limit }) => {
      const part = limit === 0 ? 1 : spent / limit;
      return [
        { text: formatBudgetScope(spender), paint: c.bold },
        { text: budget.per },
        { text: formatAmount(counter, spent) },
        { text: formatAmount(counter, limit) },
        {
          text: `${Math.floor(part * 100)} %`,
          ...(part >= (budget.alertAt ?? defaultAlertAt) ? { paint: c.yellow } : {}),
        },
        { text: formatTime(resetsAt) },
      ];
    }),
  );
  terminal.write(
    formatTable(
      heads.map((head) => ({ head })),
      cells,
      terminal,
    ),
  );
  return 0;
}

export async function setBudget({ report }: Terminal, flags: BudgetSetFlags): Promise<number> {
  const { onLimit, alertAt } = flags;
  const alert = alertAt === undefined ? {} : { alertAt: Number(alertAt) };
  const budget: Budget = { ...toKey(flags), ...toAmounts(flags), onLimit, ...alert };
  const problem = checkBudget(budget, 'the budget');
  if (problem !== null) throw new UsageError(`Invalid budget: ${problem}. Example: --tenant acme --per day --usd 50.`);
  await withWrittenStore((store) => open(store).set(budget, toChange()));
  report(
    `Set ${formatBudget(budget)} to ${formatLimits(budget)}. Workers with the option \`budgets\` enforce it from their next call on.`,
  );
  return 0;
}

export async function removeBudget({ report }: Terminal, flags: BudgetScopeFlags): Promise<number> {
  const key = toKey(flags);
  if (!(await withStore((store) => open(store).remove(key, toChange())))) throw createUnknownError(key);
  report(`Removed ${formatBudget(key)}.`);
  return 0;
}

export async function raiseBudget({ report }: Terminal, flags: BudgetAmountFlags): Promise<number> {
  const key = toKey(flags);
  const amounts = toAmounts(flags);
  if (Object.keys(amounts).length === 0) throw new UsageError('State what to add: --usd, --tokens or --calls.');
  if (!(await withStore((store) => open(store).raise(key, amounts, toChange())))) throw createUnknownError(key);
  report(
    `Raised ${formatBudget(key)} by ${formatLimits(amounts)} until its window ends. Chains that wait for it try again within an hour, or at once: longhand resume <chain>.`,
  );
  return 0;
}

function open(store: Parameters<typeof createBudgetStore>[0]): BudgetStore {
  return createBudgetStore(store, getNamespace());
}

function toChange() {
  return { who: { by: getSystemUser(), roles: [] }, at: Date.now() };
}

function toKey({ tenant, agent, model, per }: BudgetScopeFlags): BudgetKey {
  for (const [name, value] of Object.entries({ tenant, agent, model }))
    if (value === '') throw new UsageError(`--${name} is empty. Omit it for all together.`);
  if (per === undefined) throw new UsageError('State the window of the budget: --per minute, hour, day or month.');
  return { ...omitUndefined({ tenant, agent, model }), per };
}

function toAmounts(flags: BudgetAmountFlags): LedgerAmounts {
  const stated = counters.flatMap((counter) => {
    const value = flags[counter];
    if (value === undefined) return [];
    const isValid = counter === 'usd' ? Number(value) > 0 && Number.isFinite(Number(value)) : /^[1-9]\d*$/.test(value);
    const expected = counter === 'usd' ? 'a number above 0' : 'a whole number above 0';
    if (!isValid) throw new UsageError(`Invalid --${counter} ${value}: expected ${expected}.`);
    return [[counter, Number(value)] as const];
  });
  return Object.fromEntries(stated);
}

function matches(spender: BudgetSpender & { readonly budget: Budget }, flags: BudgetScopeFlags): boolean {
  const isStated = (name: 'tenant' | 'agent' | 'model') => flags[name] === undefined || flags[name] === spender[name];
  return (
    isStated('tenant') &&
    isStated('agent') &&
    isStated('model') &&
    (flags.per ?? spender.budget.per) === spender.budget.per
  );
}

function listLimits(budget: Budget, { spent, raised }: Pick<BudgetSpender, 'spent' | 'raised'>) {
  return counters.flatMap((counter: LedgerCounter) => {
    const limit = budget[counter];
    return limit === undefined ? [] : [{ counter, spent: spent[counter], limit: limit + raised[counter] }];
  });
}

function formatLimits(amounts: LedgerAmounts): string {
  return counters
    .flatMap((counter) => {
      const amount = amounts[counter];
      return amount === undefined ? [] : [formatAmount(counter, amount)];
    })
    .join(', ');
}

function writeNone({ write }: Terminal): number {
  write('There are no budgets. Set one: longhand budget set --tenant acme --per day --usd 50.\n');
  return 0;
}

function createUnknownError(key: BudgetKey): UsageError {
  return new UsageError(
    `There is no budget of ${formatBudgetScope(key)} per ${key.per}. List the budgets: longhand budget list.`,
  );
}
