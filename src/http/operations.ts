/** All operations of the gateway, by their id. */

import { auditOperations } from './operations/audit.js';
import { chainOperations } from './operations/chains.js';
import { commandOperations } from './operations/commands.js';
import { systemOperations } from './operations/system.js';

export const operations = {
  ...systemOperations,
  ...chainOperations,
  ...commandOperations,
  ...auditOperations,
};

export type OperationId = keyof typeof operations;
