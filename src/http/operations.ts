/** All operations of the gateway, by their id. */

import { auditOperations } from './operations/audit.js';
import { chainOperations } from './operations/chains.js';
import { commandOperations } from './operations/commands.js';
import { keyOperations } from './operations/keys.js';
import { systemOperations } from './operations/system.js';

export const operations = {
  ...systemOperations,
  ...chainOperations,
  ...commandOperations,
  ...auditOperations,
  ...keyOperations,
};

export type OperationId = keyof typeof operations;
