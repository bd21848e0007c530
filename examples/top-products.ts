/**
 * An analyst of a real file: the tool reads examples/data/sales.csv and adds up sales, so that the model compares numbers
 * and invents none.
 *
 * npx longhand run analyst "Analyze the Q4 sales data and identify the top 3 products by revenue" --module examples/top-products.ts
 */

import { readFile } from 'node:fs/promises';
import { defineAgent, defineTool } from 'longhand';
import { z } from 'zod';

interface Sale {
  readonly quarter: string;
  readonly product: string;
  readonly region: string;
  readonly units: number;
  /** US dollars. */
  readonly revenue: number;
}

async function readSales(): Promise<readonly Sale[]> {
  const text = await readFile(new URL('./data/sales.csv', import.meta.url), 'utf8');
  const [, ...lines] = text.trim().split('\n');
  return lines.map((line) => {
    const [date = '', product = '', region = '', units, revenue] = line.split(',');
    const quarter = `Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`;
    return { quarter, product, region, units: Number(units), revenue: Number(revenue) };
  });
}

/** Adds up the sales of each product or region, the highest revenue first. */
function addUpSales(sales: readonly Sale[], groupBy: 'product' | 'region') {
  const groups = new Map<string, { units: number; revenue: number }>();
  for (const sale of sales) {
    const { units, revenue } = groups.get(sale[groupBy]) ?? { units: 0, revenue: 0 };
    groups.set(sale[groupBy], { units: units + sale.units, revenue: revenue + sale.revenue });
  }
  return [...groups]
    .map(([name, sums]) => ({ [groupBy]: name, ...sums }))
    .sort((one, other) => other.revenue - one.revenue);
}

export const querySales = defineTool({
  name: 'query_sales',
  description: 'Adds up the sales of one quarter of 2025 by product or by region, the highest revenue first.',
  inputSchema: z.object({
    quarter: z.enum(['Q1', 'Q2', 'Q3', 'Q4']),
    groupBy: z.enum(['product', 'region']).default('product'),
    limit: z.int().min(1).max(50).default(10).describe('Maximum number of rows'),
  }),
  returns: 'rows with units and revenue in US dollars, the number of all rows, and their total revenue',
  effects: 'read',
  execute: async ({ quarter, groupBy, limit }) => {
    const sales = (await readSales()).filter((sale) => sale.quarter === quarter);
    const rows = addUpSales(sales, groupBy);
    const totalRevenue = sales.reduce((sum, sale) => sum + sale.revenue, 0);
    return { quarter, rows: rows.slice(0, limit), rowsInAll: rows.length, totalRevenue };
  },
});

export const analyst = defineAgent({
  name: 'analyst',
  instructions: 'You answer questions about the sales of 2025. Every number in an answer comes from an observation.',
  model: process.env.LONGHAND_MODEL ?? 'claude-sonnet-5-5',
  strategy: 'react',
  tools: [querySales],
  limits: { steps: 8 },
});
