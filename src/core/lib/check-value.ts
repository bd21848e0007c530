/** The checks of `check.ts` that limits import by name. */

export { integerFrom as checkIntegerFrom, members as checkMembers, type ValueCheck } from './check.js';
