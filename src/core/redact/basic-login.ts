/** Recognises what Basic authentication sends, without decoding more than it has to. */

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Whether a text is base64 of `user:password`: nothing else is printable and has a colon by chance. */
export function isBasicLogin(value: string): boolean {
  let bits = 0;
  let held = 0;
  let colon = false;
  for (const character of value.slice(0, 200).replace(/=+$/, '')) {
    const six = alphabet.indexOf(character);
    if (six < 0) return false;
    bits = ((bits << 6) | six) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    const byte = (bits >> held) & 0xff;
    if (byte < 0x20 || byte === 0x7f) return false;
    colon ||= byte === 0x3a;
  }
  return colon;
}
