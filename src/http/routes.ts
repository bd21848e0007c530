/**
 * Routes without schemas; with schemas, the browser client would be 30 times larger. The operations of the gateway add their
 * schemas to these rows (`locate`), and the compiler compares the other members with them (client/routes.ts).
 */

import type { Operation, OperationResult } from './operation.js';

export interface Route {
  readonly method: Operation['method'];
  readonly path: string;
  readonly rest: 'body' | 'query';
  readonly result: OperationResult['kind'];
  readonly query?: { readonly [name: string]: true };
  readonly keyed?: true;
  readonly repeatable?: true;
}

export const routes = {
  getGateway: { method: 'GET', path: '/', rest: 'query', result: 'json' },
  getHealth: { method: 'GET', path: '/health', rest: 'query', result: 'json' },
  getReadiness: { method: 'GET', path: '/ready', rest: 'query', result: 'json' },
  getMetrics: { method: 'GET', path: '/metrics', rest: 'query', result: 'text' },
  getOpenApi: { method: 'GET', path: '/openapi.json', rest: 'query', result: 'json' },

  startChain: { method: 'POST', path: '/v1/chains', rest: 'body', result: 'json', keyed: true },
  listChains: { method: 'GET', path: '/v1/chains', rest: 'query', result: 'json' },
  searchChains: { method: 'GET', path: '/v1/archive', rest: 'query', result: 'json' },
  getChain: { method: 'GET', path: '/v1/chains/{chainId}', rest: 'query', result: 'json' },
  getResult: { method: 'GET', path: '/v1/chains/{chainId}/result', rest: 'query', result: 'json' },
  followChain: { method: 'GET', path: '/v1/chains/{chainId}/events', rest: 'query', result: 'stream' },
  followReasoning: { method: 'GET', path: '/v1/chains/{chainId}/reasoning', rest: 'query', result: 'stream' },
  followUp: { method: 'POST', path: '/v1/chains/{chainId}/follow-ups', rest: 'body', result: 'json', keyed: true },
  getThread: { method: 'GET', path: '/v1/chains/{chainId}/thread', rest: 'query', result: 'json' },
  forkChain: { method: 'POST', path: '/v1/chains/{chainId}/forks', rest: 'body', result: 'json', keyed: true },
  listForks: { method: 'GET', path: '/v1/chains/{chainId}/forks', rest: 'query', result: 'json' },
  exportChain: { method: 'GET', path: '/v1/chains/{chainId}/export', rest: 'query', result: 'bytes' },
  getObservation: { method: 'GET', path: '/v1/chains/{chainId}/observations/{call}', rest: 'query', result: 'bytes' },
  getFile: { method: 'GET', path: '/v1/chains/{chainId}/files/{name}', rest: 'query', result: 'bytes' },

  listRequests: { method: 'GET', path: '/v1/chains/{chainId}/requests', rest: 'query', result: 'json' },
  decideRequest: {
    method: 'POST',
    path: '/v1/chains/{chainId}/requests/{call}',
    rest: 'body',
    query: { as: true },
    result: 'json',
  },
  listInbox: { method: 'GET', path: '/v1/inbox', rest: 'query', result: 'json' },
  steerChain: { method: 'POST', path: '/v1/chains/{chainId}/messages', rest: 'body', result: 'json' },
  pauseChain: { method: 'POST', path: '/v1/chains/{chainId}/pause', rest: 'body', result: 'json' },
  resumeChain: { method: 'POST', path: '/v1/chains/{chainId}/resume', rest: 'body', result: 'json' },
  raiseLimits: { method: 'POST', path: '/v1/chains/{chainId}/limits', rest: 'body', result: 'json' },
  signalChain: { method: 'POST', path: '/v1/chains/{chainId}/signals/{name}', rest: 'body', result: 'json' },
  cancelChain: { method: 'POST', path: '/v1/chains/{chainId}/cancel', rest: 'body', result: 'json' },

  queryAudit: { method: 'GET', path: '/v1/audit', rest: 'query', result: 'json' },
  getPreferences: { method: 'GET', path: '/v1/preferences', rest: 'query', result: 'json' },
  putPreferences: {
    method: 'PUT',
    path: '/v1/preferences',
    rest: 'body',
    query: { user: true, tenant: true },
    result: 'json',
  },

  createKey: { method: 'POST', path: '/v1/keys', rest: 'body', result: 'json' },
  listKeys: { method: 'GET', path: '/v1/keys', rest: 'query', result: 'json' },
  revokeKey: { method: 'DELETE', path: '/v1/keys/{keyId}', rest: 'query', result: 'json', repeatable: true },

  listBudgets: { method: 'GET', path: '/v1/budgets', rest: 'query', result: 'json' },
  putBudget: { method: 'PUT', path: '/v1/budgets', rest: 'body', result: 'json' },
  raiseBudget: { method: 'POST', path: '/v1/budgets/raises', rest: 'body', result: 'json' },
  deleteBudget: { method: 'DELETE', path: '/v1/budgets', rest: 'query', result: 'empty' },

  createLink: { method: 'POST', path: '/v1/chains/{chainId}/requests/{call}/links', rest: 'body', result: 'json' },
  createWebhook: { method: 'POST', path: '/v1/webhooks', rest: 'body', result: 'json' },
  listWebhooks: { method: 'GET', path: '/v1/webhooks', rest: 'query', result: 'json' },
  deleteWebhook: { method: 'DELETE', path: '/v1/webhooks/{webhookId}', rest: 'query', result: 'empty' },

  sendChatMessage: { method: 'POST', path: '/v1/chat/{agent}', rest: 'body', query: { as: true }, result: 'bytes' },
  resumeChat: { method: 'GET', path: '/v1/chat/{agent}/{id}/stream', rest: 'query', result: 'bytes' },
  getChatMessages: { method: 'GET', path: '/v1/chat/{agent}/{id}', rest: 'query', result: 'json' },
  runAgUi: { method: 'POST', path: '/v1/ag-ui/{agent}', rest: 'body', query: { as: true }, result: 'bytes' },
} as const;

/** Returns where an operation is. */
export function locate<Id extends keyof typeof routes>(id: Id): Pick<(typeof routes)[Id], 'method' | 'path'> {
  const { method, path } = routes[id];
  return { method, path };
}
