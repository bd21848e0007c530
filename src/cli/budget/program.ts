/** `longhand budget …`: budgets of tenants, agents and models. Each command is loaded when it is called. */

import { type Command, Option } from 'commander';
import { budgetChoices, budgetWindows } from '../../core/model/index.js';
import type { CommandAction } from '../terminal/terminal.js';

export function addBudgetCommands(program: Command, act: CommandAction): void {
  const budget = program.command('budget').description('list, set and raise budgets of tenants, agents and models');
  budget
    .command('list')
    .description('list the budgets of the store')
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./budget.js')).listBudgets));
  addScope(budget.command('show').description('show what was used of the budgets in their current windows'))
    .option('--json', 'print JSON')
    .action(act(async () => (await import('./budget.js')).showBudgets));
  addAmounts(addScope(budget.command('set').description('set a budget, or replace it'), '* for one budget each'))
    .addOption(new Option('--on-limit <choice>', 'what a chain does then').choices(budgetChoices).default('wait'))
    .option('--alert-at <part>', 'part of a limit at which an alert is sent, such as 0.8')
    .action(act(async () => (await import('./budget.js')).setBudget));
  addScope(budget.command('remove').description('remove a budget'), '* as it was set').action(
    act(async () => (await import('./budget.js')).removeBudget),
  );
  addAmounts(addScope(budget.command('raise').description('add to a budget in its current window'))).action(
    act(async () => (await import('./budget.js')).raiseBudget),
  );
}

function addScope(command: Command, each?: string): Command {
  const note = each === undefined ? '' : `; ${each}`;
  return command
    .option('--tenant <id>', `its tenant (default: all together${note})`)
    .option('--agent <name>', 'its agent')
    .option('--model <name>', 'its model')
    .addOption(new Option('--per <window>', 'calendar window in UTC').choices(budgetWindows));
}

function addAmounts(command: Command): Command {
  return command
    .option('--usd <dollars>', 'US dollars')
    .option('--tokens <number>', 'input and output tokens')
    .option('--calls <number>', 'model calls');
}
