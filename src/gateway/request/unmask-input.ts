/** Arguments that a person edited may contain masks of their view: the real values take their place. */

import type { Json } from '../../core/lib/index.js';
import { type RequestView, restoreInput } from '../../core/view/index.js';
import { GatewayError } from './problems.js';

export interface UnmaskedInput {
  readonly input: Json;
  /** Of the request whose values were restored: an approval of another version would mix the two. Absent where none were. */
  readonly digest?: string;
}

/** @throws {GatewayError} `request_invalid` for a mask in a place where it hides nothing */
export function unmaskInput(edited: Json, { level, input: viewerInput, request }: RequestView): UnmaskedInput {
  if (level !== 'full') return { input: edited };
  const restored = restoreInput(edited, viewerInput, request.input);
  if (restored !== null) return { input: restored, digest: request.digest };
  throw new GatewayError(
    'request_invalid',
    'The edited arguments have a mask in a place where it hides nothing. Send the real value there, or leave the mask as it was.',
  );
}
