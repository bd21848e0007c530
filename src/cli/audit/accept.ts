/** `longhand audit accept`: has logs signed as they are, after a backup of the database was restored. */

import { acceptLogs } from '../../store/audit/accept-logs.js';
import { refusalText } from '../../store/audit/extends-head.js';
import { loggedIn } from '../access/logged-in.js';
import { withStore } from '../access/with-store.js';
import type { Terminal } from '../terminal/terminal.js';
import { signingKey } from './anchor.js';

export interface AcceptFlags {
  readonly reason: string;
  readonly by?: string;
}

export async function accept(terminal: Terminal, { reason, by }: AcceptFlags): Promise<number> {
  const key = signingKey();
  return withStore(async (store) => {
    const who = { by: by ?? loggedIn(), roles: [] };
    const accepted = await acceptLogs(store, key, { who, reason, at: Date.now() });
    if (accepted.length === 0) terminal.say('Every log holds what was signed: nothing is to be accepted.');
    for (const refusal of accepted) terminal.write(`${refusalText(refusal)}: signed as it is\n`);
    return 0;
  });
}
