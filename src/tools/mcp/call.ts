/**
 * A call of a tool of an MCP server.
 *
 * L5: a call that the server certainly did not get is `NotDone`. Any other failure of an unsafe tool leaves the outcome unknown, but an
 * answer of the server is a result, also where it reports an error: it is known then what happened.
 */

import type { Json, JsonObject } from '../../core/lib/index.js';
import type { ToolSnapshot } from '../../core/model/index.js';
import { withTimeout } from '../../timing/index.js';
import { type CallModels, NotDone, type ToolContext, ToolError, Unanswered } from '../define/index.js';
import type { McpClient } from './client.js';
import type { ListedTool } from './definition.js';
import { McpFailure } from './failure.js';
import { type McpResult, readResult } from './result.js';
import type { ServerRequests } from './server-requests.js';

/** Returns the client for a tool. @param maxAgeMs age of the list that the definition is compared with @throws {NotDone} where the server cannot be reached, or lists another definition */
export type FindClient = (name: string, digest: string, maxAgeMs?: number) => FoundClient;

export type FoundClient = Promise<{ readonly client: McpClient; readonly drop: () => void }>;

export interface ServerCall {
  readonly listed: ListedTool;
  readonly source: string;
  readonly snapshot: Pick<ToolSnapshot, 'effects' | 'timeoutMs'>;
  readonly find: () => FoundClient;
  /** Absent if the server may request nothing. */
  readonly createRequests?: (context: ToolContext, models: CallModels | undefined) => ServerRequests;
}

/** Member of `_meta`: the same for all attempts of a call, for servers that execute a call once. */
const keyMember = 'longhand/idempotencyKey';

/** Milliseconds before the time limit of the activity at which the server is asked to cancel. */
const marginMs = 250;

export async function callServer(
  call: ServerCall,
  input: unknown,
  context: ToolContext,
  models?: CallModels,
): Promise<unknown> {
  const { listed, source, snapshot, createRequests } = call;
  const requests = createRequests?.(context, models);
  const endsAt = Date.now() + Math.max(snapshot.timeoutMs - marginMs, snapshot.timeoutMs / 2);
  const send = async ({ client }: { readonly client: McpClient }) => {
    if (context.signal.aborted) throw new NotDone(`The call of ${listed.name} was cancelled before it was sent.`);
    const params: JsonObject = {
      name: listed.serverName,
      arguments: input as Json,
      _meta: { [keyMember]: context.idempotencyKey },
    };
    const result = await client.request('tools/call', params, {
      timeoutMs: Math.max(1, endsAt - Date.now()),
      signal: context.signal,
      ...(requests === undefined ? {} : { requests }),
      onProgress: ({ progress, total = null, message = null }) => context.emit({ progress, total, message }),
    });
    return readResult(result, listed.validateOutput);
  };
  try {
    const find = () => findInTime(call, endsAt);
    const result = snapshot.effects === 'unsafe' ? await sendOnce(find, send) : await sendTwice(find, send);
    return rejectUnanswered(call, requests, toValue(result, call, context));
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    const message = `The MCP server ${source}: ${error.message}`;
    if (error.kind === 'answered' && snapshot.effects === 'unsafe')
      return rejectUnanswered(call, requests, { isError: true, content: message });
    throw toToolError(error, message, { name: listed.name, ...snapshot });
  }
}

/** L5: a server may have done something although a person has not answered yet: its result is kept beside the question. */
function rejectUnanswered(
  { snapshot, listed }: ServerCall,
  requests: ServerRequests | undefined,
  value: unknown,
): unknown {
  if (snapshot.effects !== 'unsafe' || requests?.isUnanswered() !== true) return value;
  throw new Unanswered(`A question in the call of ${listed.name} has no answer yet.`, value);
}

/** Ends a connection that is no longer of use, for the next request. */
async function sendOnce<T>(
  find: () => FoundClient,
  send: (connection: { readonly client: McpClient }) => Promise<T>,
): Promise<T> {
  const connection = await find();
  try {
    return await send(connection);
  } catch (error) {
    if (error instanceof McpFailure && (error.kind === 'session_lost' || error.kind === 'not_sent')) connection.drop();
    throw error;
  }
}

/** Sends a request again, over a new connection, where the server did not know the session: it did not read the first. */
export async function sendTwice<T>(
  find: () => FoundClient,
  send: (connection: { readonly client: McpClient }) => Promise<T>,
): Promise<T> {
  try {
    return await sendOnce(find, send);
  } catch (error) {
    if (!(error instanceof McpFailure) || error.kind !== 'session_lost') throw error;
    return await sendOnce(find, send);
  }
}

function toValue(
  { isError, value, problem }: McpResult,
  { listed, snapshot }: ServerCall,
  { log }: ToolContext,
): unknown {
  const isUnsafe = snapshot.effects === 'unsafe';
  if (problem !== null) {
    const message = `The result of ${listed.name} is malformed: ${problem}.`;
    if (!isUnsafe) throw new ToolError(message);
    log.warn(message);
    return value === null ? `The call was made. ${message}` : value;
  }
  if (!isError) return value;
  if (isUnsafe) return { isError: true, content: value };
  throw new ToolError(typeof value === 'string' ? value : JSON.stringify(value));
}

/** A connection that is opened too late must not leave an outcome unknown: nothing was sent. */
async function findInTime({ find, listed }: ServerCall, endsAt: number): ReturnType<FindClient> {
  const result = await withTimeout(find(), Math.max(1, endsAt - Date.now()));
  if (result === null)
    throw new McpFailure('not_sent', `It was not connected within the time limit of ${listed.name}.`);
  return result.value;
}

interface CalledTool extends Pick<ToolSnapshot, 'effects'> {
  readonly name: string;
}

/** The error of a tool, by what the failure means for the effect of the call. Plain errors are tried again where the tool may be. */
export function toToolError({ kind }: McpFailure, message: string, { name, effects }: CalledTool): Error {
  switch (kind) {
    case 'not_its_turn':
    case 'not_sent':
    case 'session_lost':
      return effects === 'unsafe' ? new NotDone(`${message} ${name} did not run.`) : new Error(message);
    case 'answered':
      return new ToolError(message);
    case 'unknown':
      return new Error(message);
  }
}
