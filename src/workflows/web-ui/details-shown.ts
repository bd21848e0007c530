/** What is shown in the Web UI's details, which it renders as Markdown: neither links nor characters that say other than they show. */

import { showAddresses, showInvisible } from '../../core/lib/hidden-text.js';
import type { Shown } from '../../core/view/snippet-masker.js';

export function shownInDetails(shown: Shown): Shown {
  return {
    ...shown,
    line: (...given) => showAddresses(shown.line(...given)),
    block: (...given) => showAddresses(shown.block(...given)),
    reason: (...given) => showAddresses(showInvisible(shown.reason(...given))),
    // Both are shown as code, in which no link is live.
    value: (...given) => showInvisible(shown.value(...given)),
    call: (...given) => showInvisible(shown.call(...given)),
  };
}
