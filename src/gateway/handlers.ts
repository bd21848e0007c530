/** The handlers of all operations. */

import type { operations } from '../http/index.js';
import { createChatHandlers } from './chat/chat-handlers.js';
import { auditHandlers } from './handlers/audit.js';
import { budgetHandlers } from './handlers/budgets.js';
import { commandHandlers } from './handlers/commands.js';
import { createKeyHandlers } from './handlers/keys.js';
import { listHandlers } from './handlers/lists.js';
import { readHandlers } from './handlers/reads.js';
import { startHandlers } from './handlers/starts.js';
import { streamHandlers } from './handlers/streams.js';
import { createSystemHandlers, type SystemParts } from './handlers/system.js';
import { createWebhookHandlers } from './handlers/webhooks.js';
import { createLinkHandlers, type LinkOptions } from './links/link-handlers.js';
import { createOpenApiDocument } from './openapi.js';
import type { Handlers } from './request/handler.js';
import type { AnyHandler } from './request/mount.js';

export interface HandlerParts {
  readonly system: Omit<SystemParts, 'openApiDocument'>;
  readonly links: LinkOptions;
  readonly keys: Parameters<typeof createKeyHandlers>[0];
  readonly webhooks: Parameters<typeof createWebhookHandlers>[0];
}

export function createHandlers({ system, links, keys, webhooks }: HandlerParts): {
  readonly [operationId: string]: AnyHandler;
} {
  const handlers: Handlers<typeof operations> = {
    ...createSystemHandlers({ ...system, openApiDocument: createOpenApiDocument() }),
    ...startHandlers,
    ...readHandlers,
    ...listHandlers,
    ...streamHandlers,
    ...commandHandlers,
    ...auditHandlers,
    ...createKeyHandlers(keys),
    ...createLinkHandlers(links),
    ...createWebhookHandlers(webhooks),
    ...budgetHandlers,
    ...createChatHandlers(),
  };
  // The mount has checked the parts of a request with the schemas of its operation.
  return handlers as unknown as { readonly [operationId: string]: AnyHandler };
}
