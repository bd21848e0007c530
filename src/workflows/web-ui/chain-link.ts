/** Another chain in the Web UI's own texts: its id, as it can be searched for, and as a link to its page. */

import { workflowInfo } from '@temporalio/workflow';
import { code } from './inline-code.js';

export function chainLink(chainId: string): string {
  const { namespace } = workflowInfo();
  const page = `/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(chainId)}`;
  return `[${code(chainId)}](${page.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}
