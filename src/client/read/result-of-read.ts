/** What a history comes to. */

export { resultOfClosed as resultOfRead } from '../../core/record/closed-result.js';
