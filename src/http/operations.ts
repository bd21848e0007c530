/** All operations of the gateway, by their id. */

import { auditOperations } from './operations/audit.js';
import { budgetOperations } from './operations/budgets.js';
import { chainOperations } from './operations/chains.js';
import { chatOperations } from './operations/chat.js';
import { commandOperations } from './operations/commands.js';
import { keyOperations } from './operations/keys.js';
import { linkOperations } from './operations/links.js';
import { systemOperations } from './operations/system.js';
import { webhookOperations } from './operations/webhooks.js';

export const operations = {
  ...systemOperations,
  ...chainOperations,
  ...commandOperations,
  ...auditOperations,
  ...keyOperations,
  ...linkOperations,
  ...webhookOperations,
  ...budgetOperations,
  ...chatOperations,
};

export type OperationId = keyof typeof operations;
