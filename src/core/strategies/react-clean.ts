/** A reply before it is read: what a model's chat template leaks into the text is taken out. */

export interface CleanReply {
  readonly text: string;
  /** What stood in `<think>` tags; no part of the reply. */
  readonly thinking: string | null;
}

const opening = /^\s*<(think|thinking|reasoning)>/i;
/** End-of-turn marks; what follows one is a turn that the model made up. */
const endOfTurn = /<\|(?:im_end|eot_id|eom_id|endoftext|end_of_text|end|end_of_turn)\|>|<end_of_turn>/;
const lastMark = /(?:\s*(?:<\/s>|\[\/INST\]))+\s*$/;

/** `isLabel` tells whether a line starts an action or an answer. */
export function cleanReply(reply: string, isLabel: (line: string) => boolean): CleanReply {
  const whole = endTurn(reply.replace(/\r\n?/g, '\n').replace(/^\uFEFF/, ''));
  const open = opening.exec(whole);
  if (open !== null) {
    const close = `</${open[1]}>`;
    const end = whole.toLowerCase().indexOf(close.toLowerCase(), open[0].length);
    // Never closed: the tag means nothing.
    if (end < 0) return { text: whole.slice(open[0].length), thinking: null };
    return { text: whole.slice(end + close.length), thinking: whole.slice(open[0].length, end).trim() || null };
  }
  // Some templates write the opening tag themselves, so that a reply only holds the closing one.
  const orphan = whole.indexOf('</think>');
  if (orphan < 0 || whole.slice(0, orphan).split('\n').some(isLabel)) return { text: whole, thinking: null };
  return { text: whole.slice(orphan + '</think>'.length), thinking: whole.slice(0, orphan).trim() || null };
}

function endTurn(text: string): string {
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const mark = endOfTurn.exec(line);
    // In the middle of a line it may be what an answer is about.
    if (mark === null || !/^\s*(?:<|$)/.test(line.slice(mark.index + mark[0].length))) continue;
    return [...lines.slice(0, index), line.slice(0, mark.index)].join('\n');
  }
  return text.slice(0, trailing(text));
}

/** Where a last mark begins; looked for in the tail only, so that white space costs nothing. */
function trailing(text: string): number {
  const tail = text.slice(-64);
  const found = lastMark.exec(tail);
  return found === null ? text.length : text.length - tail.length + found.index;
}
