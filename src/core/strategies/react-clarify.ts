/** `Action: Request Clarification` is how chat formats ask the user: it is read as a call of the tool that does. */

import type { ToolSnapshot } from '../model/agent.js';

/** The tools by name, and the one of them, if any, that asks a person. */
export interface KnownTools {
  readonly has: (name: string) => boolean;
  /** The tool that `Request Clarification` stands for. */
  readonly asks: string | null;
}

export function toolThatAsks(tools: readonly ToolSnapshot[]): string | null {
  return tools.find(({ question }) => question !== undefined)?.name ?? null;
}

const words =
  /(?:(?:request|ask|seek|get)[ _-]?(?:(?:the[ _-]?)?user[ _-]?)?(?:for[ _-]?)?(?:a[ _-]?)?clarification|clarification(?:[ _-]?request)?|clarify|ask[ _-]?(?:the[ _-]?)?(?:user|human))(?:[ _-]?(?:action|tool))?(?![\p{L}\p{N}_-])/iuy;

/** Where the words end that stand at `from` and ask for clarification; null where others do. */
export function clarificationAt(text: string, from: number): number | null {
  words.lastIndex = from;
  return words.test(text) ? words.lastIndex : null;
}

/** The tool that is meant by a name. One that is called just so comes first. */
export function toolMeant(name: string, tools: KnownTools): string {
  const asked = !tools.has(name) && tools.asks !== null && clarificationAt(name, 0) === name.length;
  return asked && tools.asks !== null ? tools.asks : name;
}
