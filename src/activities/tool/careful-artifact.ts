/** Keeps a tool's secrets out of the artifacts that it makes: out of their names, and of what is in them. */

import { type Hider, noHider } from '../../core/redact/known-secrets.js';
import type { ToolContext } from '../../tools/define/define-tool.js';

type Keep = ToolContext['artifact'];

/** Bytes of a stream that wait for those that follow: a secret may be cut in two between them. */
const reach = 64 * 1024;

export function carefulArtifact(keep: Keep, hider: Hider): Keep {
  if (hider === noHider) return keep;
  return (name, content, { mediaType } = {}) => {
    const options = mediaType === undefined ? {} : { mediaType: hider.text(mediaType) };
    return keep(hider.text(name), hidden(content, hider), options);
  };
}

function hidden(content: Parameters<Keep>[1], hider: Hider): Parameters<Keep>[1] {
  if (typeof content === 'string') return hider.text(content);
  return content instanceof Uint8Array ? inBytes(Buffer.from(content), hider) : inStream(content, hider);
}

/** Bytes that hold none stay as they are, text or not. */
function inBytes(bytes: Buffer, { text }: Hider): Buffer {
  const held = bytes.toString('latin1');
  const shown = text(held);
  if (shown !== held) return Buffer.from(shown, 'latin1');
  // A secret beyond ASCII is other bytes than letters.
  const written = bytes.toString('utf8');
  const told = text(written);
  return told === written ? bytes : Buffer.from(told, 'utf8');
}

async function* inStream(content: AsyncIterable<Uint8Array>, hider: Hider): AsyncIterable<Uint8Array> {
  let waiting: Buffer = Buffer.alloc(0);
  for await (const piece of content) {
    waiting = inBytes(Buffer.concat([waiting, piece]), hider);
    const ready = waiting.length - reach;
    if (ready <= 0) continue;
    yield waiting.subarray(0, ready);
    waiting = Buffer.from(waiting.subarray(ready));
  }
  yield waiting;
}
