/** What readers of a long chain get: an outline by rule, and a warning in every outlet. */

import { describe, expect, it } from 'vitest';
import { ChainPrinter } from '../../../src/cli/print/chain-printer.js';
import { emptyState } from '../../../src/core/model/state.js';
import { formatMarkdownReport } from '../../../src/core/view/print/report.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { viewSchema } from '../../../src/http/schemas/view.js';
import { formatTitle } from '../../../src/workflows/web-ui/title.js';
import { call, reasoningWith, result, thought } from '../../support/some-reasoning.js';

const warning = 'This chain is long: 201 steps, where 200 are usually enough.';

const chainOf = (count: number) =>
  reasoningWith(
    Array.from({ length: count }, (_, at) => {
      const number = at + 1;
      const [tool, status] = number % 20 === 0 ? (['query', 'error'] as const) : (['weather', 'ok'] as const);
      return [
        thought(number, `Part ${number} is done. Now the next one.`),
        call(`${number}.1`, tool, {}, { status }),
        result(`${number}.1`, tool, 'ada@example.org', { status }),
      ];
    }).flat(),
  );

describe('the outline of a long chain', () => {
  it('has a line for each tenth: its calls, its failures, and the last thought', () => {
    const { outline } = view(chainOf(200), createViewer('developer'));
    expect(outline).toHaveLength(10);
    expect(outline?.[0]).toBe('Steps 1 to 20: weather 19, query 1, 1 failed. Part 20 is done.');
    expect(outline?.[9]).toBe('Steps 181 to 200: weather 19, query 1, 1 failed. Part 200 is done.');
    expect(view(chainOf(51), createViewer('developer')).outline?.at(-1)).toMatch(
      /^Steps 49 to 51: weather 3\. Part 51/,
    );
    expect(view(chainOf(50), createViewer('developer')).outline).toBeUndefined();
  });

  it('shows a viewer no thought or tool that the viewer does not see', () => {
    const seen = view(chainOf(60), createViewer('end_user'), { toolKinds: { database: { level: 'hidden' } } });
    expect(seen.outline?.[3]).toBe('Steps 19 to 24: weather 5. To check an external source');
    const foreign = view(chainOf(60), createViewer('developer', { tenant: 'other' }));
    expect(foreign.outline?.[0]).toBe('Steps 1 to 6: no visible calls');
  });

  it('is in a report, with the summary of all steps', () => {
    const report = formatMarkdownReport(view(chainOf(60), createViewer('developer')));
    expect(report).toContain('**Summary** `60 steps: 60 calls of 2 tools (weather 57, query 3), 3 failed;');
    expect(report).toContain('- `Steps 1 to 6: weather 6. Part 6 is done.`');
  });
});

it('an unusually long chain has a warning in the view, over HTTP, in reports, in Temporal’s Web UI and while it is watched', () => {
  const long = view(chainOf(201), createViewer('end_user'));
  expect(long.warning).toBe(warning);
  expect(view(chainOf(200), createViewer('end_user')).warning).toBeUndefined();
  expect(viewSchema.parse(long)).toMatchObject({ warning, outline: long.outline });
  expect(formatMarkdownReport(long)).toContain(`> ${warning}`);
  expect(formatTitle({ ...emptyState, steps: 201 })).toContain(`⚠ ${warning}`);
  expect(formatTitle({ ...emptyState, steps: 200 }).join()).not.toContain('⚠');
  const printer = new ChainPrinter({ color: false, width: 100 });
  const printed = long.steps.map((step) =>
    printer.print({
      ...({ type: 'step-changed', step, state: 'thinking', progress: [] } as const),
      ...(step.number > 200 ? { warning } : {}),
    }),
  );
  expect(printed.join('').split(warning)).toHaveLength(2);
});
