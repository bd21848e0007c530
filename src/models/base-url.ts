/** The address of a Messages API as people write it, made the one that the SDK adds `/v1/messages` to. */

import { addressForPeople } from '../core/lib/display.js';

export interface BaseUrl {
  readonly address: string;
  /** Host and port, for people. */
  readonly host: string;
}

/** @throws Error that says what to write instead */
export function baseUrlOf(written: string): BaseUrl {
  const url = URL.canParse(written) ? new URL(written) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const shown = addressForPeople(written);
    throw new Error(`"${shown}" is not the address of a model server. Write it as http://127.0.0.1:4000.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error(
      `The address of the model server ${url.host} holds a user or password. Put the key in ANTHROPIC_API_KEY.`,
    );
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v1(\/messages)?$/, '');
  return { address: url.origin + path, host: url.host };
}
