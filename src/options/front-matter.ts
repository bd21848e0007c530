/** Markdown files with front matter, of skills and prompts: YAML between two lines `---`, then the body. */

import { isMap, LineCounter, type Node, parseDocument } from 'yaml';
import { isObject, type JsonObject, toErrorMessage } from '../core/lib/index.js';

interface FrontMatter {
  readonly data: JsonObject;
  /** In Markdown. */
  readonly body: string;
  /** Returns the line in the file of a member, such as `variables.city.type`, or of the nearest member around it; from 1. */
  readonly findLine: (path: string) => number;
}

/** Either the parts of the file, or what is wrong, as a sentence without its full stop. */
export type ParsedFrontMatter =
  | ({ readonly ok: true } & FrontMatter)
  | { readonly ok: false; readonly problem: string; readonly line: number };

/** @param max characters of the front matter */
export function parseFrontMatter(text: string, max: number): ParsedFrontMatter {
  const fail = (problem: string, line = 1) => ({ ok: false, problem, line }) as const;
  const match = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)(?:\r?\n|^)---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text);
  if (match === null)
    return fail('it must begin with front matter: a line ---, then name and description, then a line ---');
  const [, front = '', body = ''] = match;
  if (front.length > max) return fail(`its front matter has more than ${max} characters`);
  const lineCounter = new LineCounter();
  const document = parseDocument(front, { prettyErrors: false, logLevel: 'error', lineCounter });
  const toLine = (at = 0) => lineCounter.linePos(at).line + 1;
  try {
    const [error] = document.errors;
    if (error !== undefined) return fail(`its front matter is not valid YAML: ${error.message}`, toLine(error.pos[0]));
    // Text that refers to itself may be of any size.
    const data: unknown = document.toJS({ maxAliasCount: 0 });
    if (!isObject(data)) return fail('its front matter must have members, as name: pdf-forms');
    const findLine = (path: string) => {
      const parts = path.split('.');
      while (!document.hasIn(parts)) parts.pop();
      const around = document.getIn(parts.slice(0, -1), true);
      const pair = isMap(around) ? around.items.find(({ key }) => String(key) === parts.at(-1)) : undefined;
      return toLine(((pair?.key ?? document.getIn(parts, true)) as Node | undefined)?.range?.[0]);
    };
    return { ok: true, data, body, findLine };
  } catch (error) {
    return fail(`its front matter is not valid YAML: ${toErrorMessage(error)}`);
  }
}
