/** Who is at the keyboard, as the system knows them. */

import { userInfo } from 'node:os';

export function loggedIn(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have a number alone.
    return process.env.USER ?? `uid ${process.getuid?.() ?? '?'}`;
  }
}
