/** What waits, in a line for who is to decide it: with the command that does, as it can be typed. */

import type { OpenRequest } from '../../client/read/requests.js';
import { asRole, decideCommands } from '../../core/state/decided-text.js';

type Asked = Pick<OpenRequest, 'kind' | 'call' | 'tool' | 'roles'>;

export function waitingText(chainId: string, request: Asked): string {
  const { kind, call, tool } = request;
  const how = commandText(chainId, request);
  switch (kind) {
    case 'approval':
      return `Call ${call} (${tool}) waits for approval: ${decideCommands(kind, chainId, call, request.roles).join(', or ')}`;
    case 'question':
      return `Call ${call} (${tool}) waits for an answer: ${how}`;
    case 'outcome':
      return `Somebody has to say whether call ${call} (${tool}) happened: ${how}`;
  }
}

/** The first that comes to mind; any of several roles is enough. */
export function commandText(chainId: string, { kind, call, roles }: Omit<Asked, 'tool'>): string {
  const [first = ''] = decideCommands(kind, chainId, call, roles);
  if (kind !== 'outcome') return first;
  return `longhand answer ${chainId} ${call}${asRole(roles)} --happened, --not-happened or --give-up`;
}
