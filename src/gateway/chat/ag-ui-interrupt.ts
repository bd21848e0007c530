/** Requests to people as interrupts of AG-UI, and the entries of `resume` as answers to them. */

import { isObject, type Json, type JsonObject, omitUndefined } from '../../core/lib/index.js';
import type { RunAgent } from '../../http/index.js';
import { GatewayError } from '../request/problems.js';
import type { AgUiInterrupt } from './ag-ui-event.js';
import { type ChatAnswer, toDenial } from './chat-answer.js';
import { formatCallId, formatRequestId, parseRequestId } from './chat-ids.js';
import type { ChatRequest } from './chat-part.js';

/** Payload that resolves an approval. `editedArgs` are other arguments for the call. */
const approvalSchema: JsonObject = {
  type: 'object',
  properties: { approved: { type: 'boolean' }, editedArgs: {}, reason: { type: 'string' } },
  required: ['approved'],
};

export function toInterrupt(chainId: string, request: ChatRequest): AgUiInterrupt {
  const { call, kind, tool, input, digest, reason, risk, question, expiresAt } = request;
  return {
    id: formatRequestId(chainId, call, digest),
    reason: kind === 'approval' ? 'tool_call' : 'input_required',
    message: question?.text || (reason ?? `May ${tool} run?`),
    toolCallId: formatCallId(chainId, call),
    responseSchema: kind === 'approval' ? approvalSchema : toAnswerSchema(request),
    ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    metadata: { longhand: { chainId, call, kind, tool, input, risk, options: [...(question?.options ?? [])] } },
  };
}

/** The options of a question are proposals: a person may write another answer. */
function toAnswerSchema({ question }: ChatRequest): JsonObject {
  return question?.schema ?? { type: 'string' };
}

/** @throws {GatewayError} `request_invalid` */
export function readResume(resume: NonNullable<RunAgent['resume']>): {
  readonly chainId: string;
  readonly answers: readonly ChatAnswer[];
} {
  const entries = resume.map((entry) => ({ entry, request: parseRequestId(entry.interruptId) }));
  const [first] = entries;
  if (first === undefined || first.request === null || entries.some(({ request }) => request?.digest == null)) {
    throw new GatewayError('request_invalid', 'resume names an unknown interrupt. Send ids of the interrupted run.');
  }
  const { chainId } = first.request;
  if (entries.some(({ request }) => request?.chainId !== chainId))
    throw new GatewayError('request_invalid', 'resume names interrupts of several runs. Answer those of one run.');
  const answers = entries.flatMap(({ entry, request }) =>
    request === null ? [] : [{ call: request.call, digest: request.digest, decision: readDecision(entry) }],
  );
  return { chainId, answers };
}

/** Never an approval by default: what is no clear answer is rejected. */
function readDecision({ status, payload }: NonNullable<RunAgent['resume']>[number]): ChatAnswer['decision'] {
  if (status === 'cancelled') return toDenial(undefined);
  if (typeof payload === 'boolean') return payload ? { kind: 'approve' } : toDenial(undefined);
  if (isObject(payload) && typeof payload.approved === 'boolean') {
    const { approved, reason, editedArgs } = payload;
    if (!approved) return toDenial(reason);
    return { kind: 'approve', ...omitUndefined({ input: editedArgs }) };
  }
  if (payload === undefined || payload === null)
    throw new GatewayError('request_invalid', 'A resolved interrupt needs a payload that matches its responseSchema.');
  return { kind: 'answer', answer: payload as Json };
}
