/** One attempt at a tool's call, as a span. */

import { diag } from '@opentelemetry/api';
import type { Chain } from '../core/model/chain.js';
import type { Observation } from '../core/model/fact.js';
import type { Measures } from './chat-span.js';
import { ofTool } from './content.js';
import { operations } from './conventions.js';
import type { ToolCall } from './instruments.js';
import { failed, toolAttributes, typeOf, unseen } from './span-attributes.js';

type Run = () => Promise<Observation>;

/** Milliseconds from a call's start that its content may take to be read. */
const longestRead = 2_000;

export function tool(
  { tracer, content }: Omit<Measures, 'histograms'>,
  call: ToolCall,
  run: Run,
): Promise<Observation> {
  const options = { attributes: toolAttributes(call) };
  return tracer.startActiveSpan(`${operations.tool} ${call.tool}`, options, async (span) => {
    // Read beside the tool's work, which does not begin later for it.
    const chain = content === null ? null : readOf(call);
    const end = async (observation: Observation | null) => {
      const ended = performance.now();
      const read = await chain;
      if (content !== null && read !== null) {
        unseen(() => span.setAttributes(ofTool(read, call.call, observation, content)));
      }
      span.end(ended);
    };
    try {
      const observation = await run();
      await end(observation);
      return observation;
    } catch (error) {
      unseen(() => failed(span, typeOf(error)));
      await end(null);
      throw error;
    }
  });
}

/** Null when it cannot be had, or not in time: a span without content is better than a tool that waits. */
async function readOf(call: ToolCall): Promise<Chain | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, longestRead, null);
  });
  try {
    return await Promise.race([call.chain(), late]);
  } catch (error) {
    diag.warn('The content of a call could not be read:', error);
    return null;
  } finally {
    clearTimeout(timer);
  }
}
