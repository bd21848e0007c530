/** The lines that an end user reads in place of steps. */

import { expect, it } from 'vitest';
import { toReasoning } from '../../../src/core/view/build-reasoning.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { storedRecords } from '../../support/stored-chain.js';

it('lines for end users have words, and no code except the names of tools', async () => {
  const views = (await storedRecords()).map((record) => view(toReasoning(record), createViewer('end_user'), {}));
  const steps = views.flatMap((each) => each.steps.filter((step) => step.level === 'summary'));
  expect(steps.length).toBeGreaterThan(100);
  for (const step of steps) {
    const tool = ('tool' in step && step.tool) || null;
    const line = tool === null ? step.summary : step.summary.replaceAll(tool, 'Tool');
    // A capital letter, words, and neither JSON nor names with `_` or capitals inside, such as `tool_result` and `notRun`.
    expect(line).toMatch(/^[A-Z]/);
    expect(line).not.toMatch(/[{}[\]<>_=]|[a-z][A-Z]|undefined|null|NaN/);
  }
});
