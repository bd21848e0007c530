/** What a client loads with the first chains that it lists, forks or reads as a thread. */

export { listInbox } from './list/inbox.js';
export { listForks } from './list/list-chains.js';
export { readRecordedChain } from './read/recorded-chain.js';
export { readThread } from './read/thread.js';
export { createThreadSource } from './read/thread-source.js';
export { createForkStart } from './start/fork.js';
