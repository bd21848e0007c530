/** Rehearsed: the task of examples/top-products.ts. */

import { isObject, type Json } from '../../../core/lib/json.js';
import { dataOf, type Play } from './play.js';

export const topProducts: Play = {
  task: 'Analyze the Q4 sales data and identify the top 3 products by revenue',
  next: ([sales]) => {
    if (sales === undefined) {
      return {
        thought: 'I need the revenue of each product in the fourth quarter; the three highest are enough.',
        call: { tool: 'query_sales', input: { quarter: 'Q4', groupBy: 'product', limit: 3 } },
      };
    }
    const data = dataOf(sales);
    const rows = isObject(data) && Array.isArray(data.rows) ? data.rows.filter(isObject) : [];
    const lines = rows.map(({ product, revenue }, at) => `${at + 1}. ${product}: ${dollars(revenue)}`);
    return {
      thought: 'The rows are sorted by revenue, so the first three are the answer.',
      answer: `The top ${lines.length} products of the fourth quarter by revenue:\n${lines.join('\n')}`,
    };
  },
};

function dollars(amount: Json | undefined): string {
  return `$${String(amount).replace(/\B(?=(\d{3})+$)/g, ',')}`;
}
