/** The inbox for scripts. Its members stay as they are: more may come. Times are ISO 8601 in UTC. */

import type { SeenInbox } from './seen-chain.js';
import type { SeenRequest } from './seen-request.js';

export function inboxJson({ chains, others }: Pick<SeenInbox, 'chains' | 'others'>) {
  return {
    chains: chains.map(({ chainId, path, agent, task, tenant, user, ...rest }) => ({
      chainId,
      path,
      agent,
      task,
      tenant,
      user,
      startedAt: iso(rest.startedAt),
      steps: rest.steps,
      tokens: rest.tokens,
      costUsd: rest.costUsd,
      timeLeftMs: rest.timeLeftMs,
      paused: rest.paused === null ? null : { ...rest.paused, at: iso(rest.paused.at) },
      requests: rest.requests.map(requestJson),
    })),
    more: others > 0,
    others,
  };
}

function requestJson({ request, level, tool, input, reason }: SeenRequest) {
  const { call, kind, digest, risk, roles, byRequester, approvers, votes, onExpiry } = request;
  const { askedAt, expiresAt, escalates } = request;
  return {
    call,
    kind,
    level,
    tool,
    input,
    reason,
    digest,
    risk,
    roles,
    byRequester,
    approvers,
    votes,
    askedAt: iso(askedAt),
    expiresAt: expiresAt === null ? null : iso(expiresAt),
    onExpiry,
    escalates: escalates === null ? null : { at: iso(escalates.at), roles: escalates.roles },
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
