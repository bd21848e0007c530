/** What Temporal's own tools show beside the name of a message: what it does, and what is sent. */

import type { MessageName } from '../contract/messages.js';

export const messageHelp: { readonly [name in MessageName]: string } = {
  approve: 'Lets a call run: {"call":"3.1","by":"you"}; also "input", "always": true',
  deny: 'Does not let a call run: {"call":"3.1","by":"you","reason":"…"}',
  answer: 'Answers a question, or in a tool\'s stead: {"call":"3.1","answer":"…","by":"you"}',
  outcome: 'Of a call in doubt: {"call":"3.1","outcome":"happened","by":"you"}, "not_happened" or "give_up"',
  steer: 'Tells the agent something, at its next step: {"text":"…","by":"you"}',
  pause: 'Pauses before the next step: {"by":"you"}; "at": {"step":5}, {"costUsd":0.5} or {"tool":"git_push"}',
  resume: 'Lets a paused chain go on: {"by":"you"}',
  limit: 'Raises limits: {"limits":{"steps":20},"by":"you"}',
  cancel: 'Ends the chain: {"by":"you","reason":"…"}; "summarize": true; a second one is at once',
};
