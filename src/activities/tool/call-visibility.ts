/** Collects what a tool sets about the visibility of its call while it runs. */

import type { StoredParts } from '../../core/model/index.js';
import type { SecretMasker } from '../../core/redact/index.js';
import { toSummaryLine } from '../../core/view/index.js';
import type { ToolContext } from '../../tools/define/index.js';

interface VisibilityCollector {
  readonly visibility: ToolContext['visibility'];
  readonly get: () => Pick<StoredParts, 'visibility'>;
}

/** An unknown level hides: a tool in JavaScript may pass any value, and an error here would be an unknown outcome. */
export function createVisibilityCollector(masker: SecretMasker): VisibilityCollector {
  let last: Pick<StoredParts, 'visibility'> = {};
  return {
    visibility: (level, summary) => {
      const line = typeof summary === 'string' ? toSummaryLine(masker.text(summary)) : '';
      last = { visibility: { level: level === 'summary' ? 'summary' : 'hidden', summary: line === '' ? null : line } };
    },
    get: () => last,
  };
}
