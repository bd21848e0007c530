/**
 * What an MCP server requests of its client during a call: an answer of a person (elicitation), or of a model (sampling). All of it is
 * data of a stranger.
 *
 * S1 A request belongs to the call that is under way. The protocol does not name it, so calls of such a connection run one at a time, and
 *    a call that this side ended ends the connection: the server may still work for it.
 * S2 A person is not awaited on the connection: the server receives `cancel`, and the call runs again with the answer.
 * S3 A model is asked within what the chain has reserved for the call; it sees only what the server sends.
 */

import { isObject, type Json, type JsonObject } from '../../core/lib/index.js';
import { type CallModels, fromJsonSchema, type ToolContext } from '../define/index.js';
import { cleanSchema, cleanText, type ListedTool } from './definition.js';
import type { McpElicitation, McpSampling } from './options.js';

/** Answers the requests of a server during one call. */
export interface ServerRequests {
  /** @returns the result of `elicitation/create` */
  readonly elicit: (params: JsonObject) => Promise<JsonObject>;
  /** @returns the result of `sampling/createMessage` @throws {Error} with the reason for the server */
  readonly sample: (params: JsonObject) => Promise<JsonObject>;
  /** Whether a person has to answer before the call can end as it should. */
  readonly isUnanswered: () => boolean;
}

/** Of requests for which there is no person and no budget. */
export const noServerRequests: ServerRequests = {
  elicit: async () => ({ action: 'decline' }),
  sample: async () => {
    throw new Error('This client asks models only for calls of tools.');
  },
  isUnanswered: () => false,
};

interface RequestingCall {
  readonly listed: Pick<ListedTool, 'serverName'>;
  readonly source: string;
  readonly isUnsafe: boolean;
  readonly elicitation: McpElicitation | undefined;
  readonly sampling: McpSampling | undefined;
}

const maxMessageCharacters = 2_000;

export function createServerRequests(
  { listed, source, isUnsafe, elicitation, sampling }: RequestingCall,
  { ask, log }: Pick<ToolContext, 'ask' | 'log'>,
  models: CallModels | undefined,
): ServerRequests {
  let sampled = 0;
  let isUnanswered = false;
  return {
    elicit: async ({ message, requestedSchema }) => {
      if (elicitation === undefined || !isObject(requestedSchema)) return { action: 'decline' };
      const text = cleanText(typeof message === 'string' ? message : '', maxMessageCharacters).trim();
      const schema = cleanSchema(requestedSchema);
      const choices = listChoices(schema);
      try {
        const content = await ask({
          ...(elicitation === true ? {} : elicitation),
          question: [
            `The MCP server ${source} asks in a call of ${listed.serverName}: ${text}`,
            ...(isUnsafe ? ['An answer runs the call again from its start.'] : []),
          ].join('\n\n'),
          schema: fromJsonSchema(schema),
          ...(choices.length === 0 ? {} : { options: choices }),
        });
        return { action: 'accept', content };
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'NotDone') {
          log.warn(`A question of the MCP server ${source} cannot be asked: ${String(error)}`);
          return { action: 'decline' };
        }
        isUnanswered = true;
        return { action: 'cancel' };
      }
    },
    isUnanswered: () => isUnanswered,
    sample: async (params) => {
      if (sampling === undefined || models === undefined) throw new Error('This client asks no model for the server.');
      const part = sampled++;
      if (part >= models.parts.length) {
        throw new Error(`A call may ask for ${models.parts.length} answers of a model, and it had them.`);
      }
      const { systemPrompt, maxTokens, temperature } = params;
      const takesTemperature = models.parts[part]?.model.takesTemperature === true;
      const answer = await models.ask(part, {
        system: typeof systemPrompt === 'string' ? systemPrompt : '',
        prompt: toPrompt(params.messages),
        ...(typeof temperature === 'number' && takesTemperature ? { temperature } : {}),
        ...(typeof maxTokens === 'number' && maxTokens >= 1 ? { maxTokens: Math.floor(maxTokens) } : {}),
      });
      if (!answer.ok) throw new Error(`The model did not answer: ${answer.message}`);
      return {
        role: 'assistant',
        content: { type: 'text', text: answer.text },
        model: models.parts[part]?.model.name ?? '',
        stopReason: answer.stopReason === 'max_tokens' ? 'maxTokens' : 'endTurn',
      };
    },
  };
}

/** Returns the choices where the server wants one of several texts, and nothing else. */
function listChoices({ properties }: JsonObject): readonly string[] {
  const [only, ...others] = isObject(properties) ? Object.values(properties) : [];
  const choices = isObject(only) && others.length === 0 && Array.isArray(only.enum) ? only.enum : [];
  return choices.every((choice) => typeof choice === 'string') ? (choices as readonly string[]).slice(0, 20) : [];
}

/** @throws {Error} for content that is not a text */
function toPrompt(messages: Json | undefined): string {
  if (!Array.isArray(messages) || messages.length === 0) throw new Error('The request has no messages.');
  const turns = messages.map((message: Json) => {
    const { role, content } = isObject(message) ? message : {};
    return { role: role === 'assistant' ? 'Assistant' : 'User', text: toText(content) };
  });
  const [first, ...others] = turns;
  return others.length === 0 ? (first?.text ?? '') : turns.map(({ role, text }) => `${role}: ${text}`).join('\n\n');
}

function toText(content: Json | undefined): string {
  const parts = Array.isArray(content) ? content : [content];
  return parts
    .map((part) => {
      if (isObject(part) && part.type === 'text' && typeof part.text === 'string') return part.text;
      throw new Error('Only text can be sent to the model.');
    })
    .join('\n');
}
