/** What waits, in a line for who is to decide it: with the command that does, as it can be typed. */

import type { OpenRequest } from '../../client/requests.js';

type Asked = Pick<OpenRequest, 'kind' | 'call' | 'tool' | 'roles'>;

export function waitingText(chainId: string, request: Asked): string {
  const { kind, call, tool } = request;
  const how = commandText(chainId, request);
  switch (kind) {
    case 'approval':
      return `Call ${call} (${tool}) waits for approval: ${how}, or ${how.replace('longhand approve', 'longhand deny')}`;
    case 'question':
      return `Call ${call} (${tool}) waits for an answer: ${how}`;
    case 'outcome':
      return `Somebody has to say whether call ${call} (${tool}) happened: ${how}`;
  }
}

/** The first that comes to mind; any of several roles is enough. */
export function commandText(chainId: string, { kind, call, roles }: Omit<Asked, 'tool'>): string {
  const role = roles[0] === undefined ? '' : ` --role ${roles[0]}`;
  const at = `${chainId} ${call}`;
  switch (kind) {
    case 'approval':
      return `longhand approve ${at}${role}`;
    case 'question':
      return `longhand answer ${at} "…"${role}`;
    case 'outcome':
      return `longhand answer ${at}${role} --happened, --not-happened or --give-up`;
  }
}
