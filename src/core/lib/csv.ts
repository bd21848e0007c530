/**
 * Formats rows of CSV for spreadsheets (RFC 4180). A cell that a spreadsheet would evaluate as a formula gets a leading
 * quote: tasks and names are untrusted.
 */

export function formatCsvLine(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => quoteCell(cell ?? '')).join(',')}\r\n`;
}

/** Not csv-stringify: it leaves a single line feed unquoted when rows end with CRLF, and its types need Node's streams. */
function quoteCell(cell: string): string {
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
