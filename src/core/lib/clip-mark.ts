/** What stands where something was left out: how much it was, as far as there is room to say so. */

/** `[… 12,345 of 20,480 bytes left out …]` */
export function fullMark(left: number, whole: number, unit: 'bytes' | 'items' | 'keys'): string {
  return `[… ${thousands(left)} of ${thousands(whole)} ${unit} left out …]`;
}

/** Where the full mark would take more room than what it stands beside. */
export const shortMark = '…';

// Not toLocaleString: that depends on how the runtime was built, and a chain must read the same everywhere.
const thousands = (number: number) => String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
