/**
 * A short name for a text, for telling whether it was seen before. Not a digest: it proves nothing, and
 * costs a hundredth of one where every observation of a chain is looked at.
 */

// Taken once: inside a workflow each look at a global goes through the sandbox, and this one is in a loop.
const { imul } = Math;

/** 53 bits, in two interleaved 32-bit multiplicative hashes. */
export function fingerprint(text: string): string {
  let a = 0x9e3779b9;
  let b = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = imul(a ^ unit, 0x27d4eb2f);
    b = imul(b ^ unit, 0x165667b1);
  }
  a = imul(a ^ (a >>> 15), 0x2c1b3c6d) ^ imul(b ^ (b >>> 13), 0x297a2d39);
  b = imul(b ^ (b >>> 15), 0x2c1b3c6d) ^ imul(a ^ (a >>> 13), 0x297a2d39);
  return ((b & 0x1fffff) * 0x1_0000_0000 + (a >>> 0)).toString(36);
}
