/** Complaints of telemetry, each made once in a process: a collector that is down would be complained of for ever. */

export type Warn = (text: string) => void;

/** Told apart by how they begin: the rest is often a stack, or a time. */
const told = 80;
const said = new Set<string>();

export function sayOnce(warn: Warn, text: string): void {
  const line = text.replace(/\s+/g, ' ').slice(0, 400);
  if (said.has(line.slice(0, told))) return;
  said.add(line.slice(0, told));
  warn(`OpenTelemetry: ${line}`);
}
