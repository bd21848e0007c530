/** A tool that computes formulas exactly: models miscalculate. */

import { z } from 'zod';
import { check, toErrorMessage } from '../../core/lib/index.js';
import { defineTool, type Tool, ToolError } from '../define/index.js';
import { computeFormula, functionNames } from './calculator/compute-formula.js';
import { FormulaError, parseFormula } from './calculator/parse-formula.js';

export interface CalculatorOptions {
  /** Default `calculator`. */
  readonly name?: string | undefined;
  /** For the model: when to call the tool. */
  readonly description?: string | undefined;
}

const checkOptions = check.members<CalculatorOptions>({ name: check.anything, description: check.nonEmptyText });

const maxLength = 5_000;

const defaultDescription = `Computes a formula with decimal numbers, exact to 50 digits. Operators: + - * / % (remainder) ^ (power). Functions: ${functionNames.join(', ')}; round, floor, ceil and trunc take the number of decimal places as a second argument; angles are radians. Constants: pi, e, tau. Write numbers without units and without separators of thousands.`;

/**
 * Creates a tool that computes formulas: decimal numbers, operators, functions. A formula is never executed as code.
 *
 * @throws {LonghandError} `invalid_options`; `invalid_tool` for an invalid name
 * @example
 * defineAgent({ name: 'accountant', tools: [calculator()], … })
 */
export function calculator(options: CalculatorOptions = {}): Tool {
  check.assertNoProblem(checkOptions(options, ''), 'calculator');
  return defineTool({
    name: options.name ?? 'calculator',
    description: options.description ?? defaultDescription,
    inputSchema: z.object({
      formula: z.string().min(1).max(maxLength).describe('Such as round(1250 * (1 + 0.035)^10, 2)'),
    }),
    returns: '`result`: the number as a text, so that no digit is lost',
    effects: 'pure',
    local: true,
    kind: 'custom',
    view: { request: '{formula}', response: '{result}', summary: '{formula} = {result}' },
    execute: ({ formula }) => {
      try {
        return { formula, result: computeFormula(parseFormula(formula)) };
      } catch (error) {
        if (error instanceof FormulaError) throw new ToolError(`The formula cannot be computed. ${error.message}`);
        // The library's own limits.
        throw new ToolError(`The formula cannot be computed: ${toErrorMessage(error).replace('[DecimalError] ', '')}.`);
      }
    },
  });
}
