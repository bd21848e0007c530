/** Tokens of replies and interim results of calls, from workers to other processes. */

export { openTokenPublisher } from './publisher.js';
export { checkTokenRelay, type TokenOption } from './relay-options.js';
export { createTokenSubscriber } from './subscriber.js';
