/** Functions of tools in a thread or a process of their own. */

export { type IsolateOptions, isolate } from './isolate.js';
