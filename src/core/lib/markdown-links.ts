/** Markdown that others wrote, where it is rendered for people: a link says where it leads. */

/**
 * The text with its links as they are written: `[invoice](https://elsewhere.example)`. Images and HTML are written out, too.
 * An address that stands by itself may be made a link by whoever renders it: it shows where it leads.
 */
export function showAddresses(text: string): string {
  // An entity and no backslash: one that stands before it would make it live again.
  return text.replace(/\](?=[(:])/g, ']\\').replace(/<(?=[A-Za-z/!?])/g, '&lt;');
}
