/** Definitions of tools whose code is an activity or a workflow of the user. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { activityTool, workflowTool } from '../../../src/index.js';

const inputSchema = z.object({ customer: z.string(), years: z.number() });
const shared = { name: 'score', description: 'Scores', taskQueue: 'risk', inputSchema, effects: 'read' } as const;

describe('activityTool', () => {
  it('records what the chain has to schedule', () => {
    expect(activityTool(shared).snapshot).toMatchObject({
      ...{ name: 'score', effects: 'read', attempts: 3, timeoutMs: 60_000 },
      queue: { name: 'risk', queueTimeoutMs: 300_000 },
      runs: { kind: 'activity', activity: 'score', args: 'object', context: false, heartbeatMs: null },
    });
    const { snapshot } = activityTool({
      ...{ ...shared, activity: 'compute', args: ['years', 'customer'], context: true, effects: 'idempotent' },
      ...{ queueTimeout: '1m', heartbeatTimeout: '5s', retry: { attempts: 5 } },
    });
    expect(snapshot).toMatchObject({ attempts: 5, queue: { queueTimeoutMs: 60_000 } });
    expect(snapshot.runs).toEqual({
      ...{ kind: 'activity', activity: 'compute', args: ['years', 'customer'], context: true, heartbeatMs: 5_000 },
    });
  });

  it('never retries an unsafe call', () => {
    expect(activityTool({ ...shared, effects: 'unsafe' }).snapshot.attempts).toBe(1);
    expect(() => activityTool({ ...shared, effects: 'unsafe', retry: { attempts: 2 } })).toThrow('never retried');
  });

  it.each([
    [{ secrets: ['KEY'] }, '`secrets` is not possible here: a worker of Longhand cannot pass secrets'],
    [{ cacheTtl: '1h' }, '`cacheTtl` is not possible here'],
    [{ execute: () => 1 }, '`execute` is not possible here: its code is elsewhere. Remove it.'],
    [{ taskQueue: undefined }, '`taskQueue` is missing'],
    [{ args: ['customer'] }, '`args` must name each member of inputSchema: years is missing.'],
    [{ args: ['customer', 'age'] }, '`args` names "age", but inputSchema has customer, years.'],
    [{ context: 'yes' }, 'context must be'],
    [{ workflow: 'Score' }, 'workflow'],
    [{ activity: 'a'.repeat(201) }, 'activity must have at most 200 characters'],
    [{ taskQueue: 'q'.repeat(201) }, 'taskQueue must have at most 200 characters'],
    [{ taskQueue: '/_sys/risk/1' }, 'taskQueue must not begin with /_sys/'],
  ])('rejects %j', (wrong, message) => {
    expect(() => activityTool({ ...shared, ...wrong } as never)).toThrow(message);
  });

  it('is not executed outside of a chain', async () => {
    const tool = activityTool(shared);
    expect(tool.validateInput({ customer: 'Ada' })).toContain('years');
    expect(() => tool.parse({ customer: 'Ada', years: 1 })({} as never)).toThrow('Start a new chain');
  });
});

describe('workflowTool', () => {
  it('records what the chain has to start, once', () => {
    expect(workflowTool({ ...shared, workflow: 'ShipOrder' }).snapshot).toMatchObject({
      ...{ attempts: 1, timeoutMs: 3_600_000, queue: { name: 'risk' } },
      runs: { kind: 'workflow', workflow: 'ShipOrder', args: 'object', context: false },
    });
    expect(workflowTool({ ...shared, effects: 'unsafe' }).snapshot.runs).toMatchObject({ workflow: 'score' });
  });

  it('has a name that Temporal accepts', () => {
    expect(() => workflowTool({ ...shared, workflow: 'w'.repeat(201) })).toThrow('workflow must have at most 200');
    expect(workflowTool({ ...shared, workflow: 'w'.repeat(200) }).name).toBe('score');
  });

  it('has no limit for the wait in its queue', () => {
    expect(() => workflowTool({ ...shared, queueTimeout: '1m' } as never)).toThrow('queueTimeout is not possible here');
  });
});
