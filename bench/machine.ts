/** What the numbers were measured on: they mean little without it. */

import { cpus, loadavg, totalmem } from 'node:os';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly platform: string;
  readonly node: string;
  /** Load of the last minute when the measurement began: above 0 means that others were at work. */
  readonly loadBefore: number;
}

export function machine(): Machine {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    platform: `${process.platform}-${process.arch}`,
    node: process.version,
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(2)),
  };
}
