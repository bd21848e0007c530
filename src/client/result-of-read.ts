/** What a history comes to. */

export { resultOfClosed as resultOfRead } from '../core/closed-result.js';
