/** Who speaks, as the flags say: by default whoever is logged in. */

import type { Speaker } from '../../client/commands/people.js';
import { loggedIn } from '../access/logged-in.js';

export interface SpeakerFlags {
  readonly by?: string;
  readonly role: readonly string[];
  readonly reason?: string;
}

export interface NamedSpeaker extends Speaker {
  readonly by: string;
  readonly roles: readonly string[];
}

export function speakerOf({ by, role, reason }: SpeakerFlags): NamedSpeaker {
  return { by: by ?? loggedIn(), roles: role, reason };
}
