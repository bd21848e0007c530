/** Operations on budgets of tenants, agents and models. A credential of a tenant reads its own; one of all tenants changes them. */

import { z } from 'zod';
import { budgetChoices, budgetWindows } from '../../core/model/index.js';
import type { Operations } from '../operation.js';
import { locate } from '../routes.js';
import { nameSchema } from '../schemas/input.js';
import { timeSchema } from '../schemas/shape.js';

const amountsShape = {
  calls: z.number().int().positive().optional().meta({ description: 'Model calls.' }),
  tokens: z.number().int().positive().optional().meta({ description: 'Input and output tokens.' }),
  usd: z.number().positive().optional().meta({ description: 'US dollars.' }),
};

const scopeShape = {
  tenant: nameSchema.optional().meta({ description: 'Absent: all tenants together. `*`: a budget for each.' }),
  agent: nameSchema.optional(),
  model: nameSchema.optional().meta({ description: 'Name in the catalogue, or id at its provider.' }),
};

const keyShape = {
  ...scopeShape,
  per: z.enum(budgetWindows).meta({ description: 'Calendar window, in UTC.' }),
};

const budgetShape = {
  ...keyShape,
  ...amountsShape,
  onLimit: z
    .enum(budgetChoices)
    .optional()
    .meta({ description: 'What a chain does with a rejected call. Default `wait`.' }),
  alertAt: z.number().positive().max(1).optional().meta({ description: 'Part of a limit at which an alert is sent.' }),
};

const usedSchema = z.object({ calls: z.number(), tokens: z.number(), usd: z.number() });

const storedSchema = z
  .object({
    budget: z.object(budgetShape),
    source: z.enum(['worker', 'person']).meta({ description: '`worker`: of the options of a worker.' }),
    setBy: z.string().nullable(),
    setAt: timeSchema,
    spenders: z
      .array(
        z.object({
          ...{ tenant: z.string().optional(), agent: z.string().optional(), model: z.string().optional() },
          ...{ spent: usedSchema, raised: usedSchema, resetsAt: timeSchema },
        }),
      )
      .readonly()
      .meta({ description: 'What each spender used in the current window.' }),
  })
  .meta({ id: 'StoredBudget' });

const changedSchema = z.object({ budget: z.string().meta({ description: '`the budget of tenant acme per day`' }) });

export const budgetOperations = {
  listBudgets: {
    ...locate('listBudgets'),
    tag: 'Budgets',
    summary: 'Lists budgets, and what was used of them in their current windows.',
    scope: 'admin',
    query: z.object({ tenant: nameSchema.optional().meta({ description: 'Only for a credential of all tenants.' }) }),
    result: { kind: 'json', status: 200, schema: z.object({ items: z.array(storedSchema).readonly() }) },
  },
  putBudget: {
    ...locate('putBudget'),
    tag: 'Budgets',
    summary: 'Sets the budget of a scope and window. Only for a credential of all tenants.',
    scope: 'admin',
    body: z.strictObject(budgetShape).meta({ id: 'Budget' }),
    result: { kind: 'json', status: 200, schema: changedSchema },
  },
  raiseBudget: {
    ...locate('raiseBudget'),
    tag: 'Budgets',
    summary: 'Adds to the limits of a budget in its current window. Only for a credential of all tenants.',
    scope: 'admin',
    body: z.strictObject({ ...keyShape, ...amountsShape }).meta({ id: 'BudgetRaise' }),
    result: { kind: 'json', status: 200, schema: changedSchema },
  },
  deleteBudget: {
    ...locate('deleteBudget'),
    tag: 'Budgets',
    summary: 'Removes the budget of a scope and window. Only for a credential of all tenants.',
    scope: 'admin',
    query: z.object(keyShape),
    result: { kind: 'empty' },
  },
} as const satisfies Operations;
