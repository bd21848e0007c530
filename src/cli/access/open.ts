/** Opens the connection to Temporal when a command first needs it, and closes it when the command is done. */

import { connect, type Longhand } from '../../client/connect.js';
import { writeError } from '../terminal/terminal.js';
import type { Connect } from './find.js';

export async function withServer<T>(use: (connect: Connect) => Promise<T>): Promise<T> {
  let opened: Promise<Longhand> | null = null;
  const open = () => {
    opened ??= connect({ withoutServer: say });
    return opened;
  };
  try {
    return await use(open);
  } finally {
    const longhand = await closable(opened);
    await longhand?.close();
  }
}

/** A line beside the point. */
function say(line: string): void {
  writeError(`${line}\n`);
}

/** A connection that could not be opened has been told of already. */
async function closable(opened: Promise<Longhand> | null): Promise<Longhand | null> {
  try {
    return await opened;
  } catch {
    return null;
  }
}
