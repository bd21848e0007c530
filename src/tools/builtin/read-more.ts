/** A tool with which the model reads the omitted parts of a result that was too long for its observation. */

import { z } from 'zod';
import { check, formatBytes, omitUndefined } from '../../core/lib/index.js';
import { type AuditLevel, checkAuditLevel } from '../../core/model/index.js';
import { type CallStorage, type ClippedResult, defineTool, type Tool, ToolError } from '../define/index.js';
import { readPart } from './read-part.js';

export interface ReadMoreOptions {
  /** Default `read_more`. */
  readonly name?: string | undefined;
  /** For the model: when to call the tool. */
  readonly description?: string | undefined;
  /** How much of its calls the audit log records. Default: the worker's setting. */
  readonly audit?: AuditLevel | undefined;
}

const checkOptions = check.members<ReadMoreOptions>({
  name: check.anything,
  description: check.nonEmptyText,
  audit: checkAuditLevel,
});

const defaultDescription =
  'Reads more of an earlier result of this task that was too long: its omitted parts. Without `call`, of the newest such result. Read on with `offset` from `next`.';
const defaultLength = 8_000;

/**
 * Creates a tool that reads further parts of clipped results of the own chain. Needs a store.
 *
 * The parts are what its first tool returned, without the secrets that were masked there. People do not see them with
 * this call, because visibility rules are those of the first tool: `longhand chain blob` shows the whole result.
 *
 * @throws {LonghandError} `invalid_options`; `invalid_tool` for an invalid name
 */
export function readMore(options: ReadMoreOptions = {}): Tool {
  check.assertNoProblem(checkOptions(options, ''), 'readMore');
  const { name = 'read_more', description = defaultDescription, audit } = options;
  const inputSchema = z.object({
    call: z
      .string()
      .regex(/^\d+\.\d+$/)
      .optional()
      .describe('Step and position of the call, such as 3.1 for the first call of step 3'),
    offset: z.number().int().min(0).optional().describe('First character, from 0; default 0'),
    line: z.number().int().min(1).optional().describe('First line, from 1, instead of offset'),
    length: z.number().int().min(1).max(100_000).optional().describe(`Most characters; default ${defaultLength}`),
  });
  const tool = defineTool({
    name,
    description,
    inputSchema,
    returns:
      '`call`, `tool`, `text`, its `offset`, `next` (the offset of the following part; null at the end), and `characters` of the whole',
    effects: 'read',
    ...omitUndefined({ audit }),
    kind: 'memory',
    summarizeObservations: false,
    view: { summary: 'Read more of {call}', sensitive: ['text', 'tool'] },
    execute: () => {
      throw new ToolError('Results of earlier calls are read only within a chain.');
    },
  });
  return {
    ...tool,
    parse: (value) => {
      const execute = tool.parse(value);
      const { call, ...place } = inputSchema.parse(value);
      return (context, models, storage) =>
        storage === undefined
          ? execute(context, models)
          : readResult(storage, call, { length: defaultLength, ...place });
    },
  };
}

interface Place {
  readonly offset?: number | undefined;
  readonly line?: number | undefined;
  readonly length?: number | undefined;
}

async function readResult(storage: CallStorage, call: string | undefined, place: Place) {
  const results = await storage.listClippedResults();
  const result = call === undefined ? results[0] : results.find((result) => result.call === call);
  if (result === undefined) throw new ToolError(describeMissing(call, results));
  const content = (await result.read?.()) ?? null;
  if (content === null) {
    throw new ToolError(
      `The rest of the result ${result.call} was not stored. Make the call again, with a narrower request.`,
    );
  }
  const part = await readPart(content, { ...place, maxBytes: storage.maxObservationBytes });
  if (part === null) throw new ToolError('The place is after the end of the result. Choose a smaller offset or line.');
  return { call: result.call, tool: result.tool, ...part };
}

/** Without the names of tools: who sees this error may not see those. */
function describeMissing(call: string | undefined, results: readonly ClippedResult[]): string {
  if (results.length === 0) return 'No result of this task was cut: all of them are complete.';
  const listed = results.slice(0, 20).map(({ call: id, bytes }) => `${id} (${formatBytes(bytes)})`);
  return `Call ${call} has no result that was cut. Results that were cut: ${listed.join(', ')}.`;
}
