/** `longhand gateway link-key`: prints a new key for signed links. */

import { createLinkKey } from '../../gateway/links/link-token.js';
import type { Terminal } from '../terminal/terminal.js';

export async function printLinkKey(terminal: Terminal): Promise<number> {
  terminal.write(`${createLinkKey()}\n`);
  terminal.report('Set it as LONGHAND_LINK_KEYS of each gateway, before the keys that it replaces: key,older-key.');
  return 0;
}
