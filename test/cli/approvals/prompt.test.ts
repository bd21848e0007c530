/** What a prompt for a decision offers. */

import { expect, it } from 'vitest';
import { listDecisionChoices } from '../../../src/cli/approvals/prompt.js';
import type { RequestView } from '../../../src/core/view/request-view.js';

const listChoices = (kind: RequestView['request']['kind'], level: RequestView['level'] = 'full') =>
  listDecisionChoices({ request: { kind } as RequestView['request'], level });

it.each(['approval', 'question', 'outcome'] as const)(
  'the preselected choice at a request of kind %s decides nothing',
  (kind) => {
    const [preselected, ...others] = listChoices(kind);
    expect(preselected).toBe('leave');
    expect(others).not.toContain('leave');
  },
);

it('a viewer who does not see all arguments is not offered to edit them', () => {
  expect(listChoices('approval')).toContain('edit');
  expect(listChoices('approval', 'summary')).not.toContain('edit');
});
