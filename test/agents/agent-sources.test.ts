/** Agents with sources of tools: names, lists that change, and sources that cannot be reached. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAgentSources } from '../../src/agents/agent-sources.js';
import { type Agent, defineAgent, defineTool, type Tool, type ToolSource } from '../../src/index.js';

const createTool = (name: string): Tool =>
  defineTool({ name, description: 'Does it', inputSchema: z.object({}), effects: 'read', execute: () => null });

interface FakeSource extends ToolSource {
  tools: readonly Tool[];
  isDown: boolean;
  opened: number;
  closed: number;
}

function createSource(name: string, tools: readonly Tool[], optional = false): FakeSource {
  const source: FakeSource = {
    ...{ name, prefix: `${name}_`, optional, tools, isDown: false, opened: 0, closed: 0 },
    open: () => {
      source.opened += 1;
      return {
        list: async () => {
          if (source.isDown) throw new Error('The line is cut.');
          return source.tools;
        },
        close: async () => {
          source.closed += 1;
        },
      };
    },
  };
  return source;
}

const warnings: string[] = [];
const open = () =>
  createAgentSources({
    secrets: { get: () => null },
    log: { debug: () => {}, info: () => {}, warn: (text) => void warnings.push(text), error: () => {} },
  });

const create = (tools: NonNullable<Agent['definition']['tools']>, more: Partial<Agent['definition']> = {}): Agent =>
  defineAgent({ name: 'clerk', model: 'm', tools, ...more });

const listNames = ({ tools }: Agent) => tools.map(({ name }) => name);

describe('an agent with sources', () => {
  it('has their tools after its own; the same agent until a list changes', async () => {
    const source = createSource('files', [createTool('files_read')]);
    const agent = create([createTool('note'), source]);
    expect(listNames(agent)).toEqual(['note']);
    const sources = open();
    const loaded = await sources.load(agent);
    expect(listNames(loaded)).toEqual(['note', 'files_read']);
    expect(loaded.validateCall('files_read', {})).toBeNull();
    expect(await sources.prepare(agent)).toBe(loaded);
    source.tools = [createTool('files_write')];
    expect(listNames(await sources.load(agent))).toEqual(['note', 'files_write']);
  });

  it('opens a source once for several agents, when it is needed, and closes it', async () => {
    const source = createSource('files', []);
    const sources = open();
    const agents = [create([source]), create([source])];
    expect(source.opened).toBe(0);
    for (const agent of agents) await sources.load(agent);
    await sources.close();
    expect([source.opened, source.closed]).toEqual([1, 1]);
  });

  it('is not prepared while a source cannot be reached, and runs without its tools; an optional source is skipped', async () => {
    const [needed, spare] = [createSource('files', []), createSource('spare', [], true)];
    const agent = create([createTool('note'), needed, spare]);
    const sources = open();
    needed.isDown = true;
    spare.isDown = true;
    await expect(sources.prepare(agent)).rejects.toMatchObject({ code: 'source_unreachable', source: 'files' });
    expect(listNames(await sources.load(agent))).toEqual(['note']);
    expect(sources.findProblem(agent, 'files')).toBe('The line is cut.');
    needed.isDown = false;
    expect(listNames(await sources.prepare(agent))).toEqual(['note']);
    expect(sources.findProblem(agent, 'files')).toBeNull();
    expect(warnings.at(-1)).toBe('Agent clerk starts without the tools of spare: The line is cut.');
  });

  it('is alone concerned by a source that throws when it is opened', async () => {
    const broken: ToolSource = {
      ...{ name: 'own', prefix: 'own_', optional: false },
      open: () => {
        throw new Error('No address.');
      },
    };
    const sources = open();
    const agent = create([createTool('note'), broken]);
    await expect(sources.prepare(agent)).rejects.toMatchObject({ code: 'source_unreachable', message: 'No address.' });
    expect(listNames(await sources.load(agent))).toEqual(['note']);
    expect(sources.findProblem(agent, 'own')).toBe('No address.');
    const spared = create([createTool('note'), { ...broken, optional: true }]);
    expect(listNames(await sources.prepare(spared))).toEqual(['note']);
  });

  it('leaves out tools of sources whose names are taken or reserved, with a warning', async () => {
    const twice = create([
      createTool('files_read'),
      createSource('files', ['files_read', 'files_write'].map(createTool)),
    ]);
    expect(listNames(await open().prepare(twice))).toEqual(['files_read', 'files_write']);
    expect(warnings.at(-1)).toBe(
      'Agent clerk has no tool files_read of its sources: the agent has a tool of this name.',
    );
    const crossed = create([
      createSource('crm', [createTool('crm_eu_find'), createTool('crm_sum')]),
      createSource('crm_eu', [createTool('crm_eu_find')]),
    ]);
    expect(listNames(await open().prepare(crossed))).toEqual(['crm_sum']);
    const finishing = create([createSource('do', [createTool('do_finish')])], {
      strategy: { name: 'autonomous', finishToolName: 'do_finish' },
    });
    expect(listNames(await open().prepare(finishing))).toEqual([]);
    expect(warnings.at(-1)).toContain('the strategy of the agent reserves this name');
  });

  it('may name the tools of a source in its approvals; other unknown names are rejected', () => {
    const source = createSource('files', []);
    expect(create([source], { approval: { files_write: true } }).sources).toEqual([source]);
    expect(() => create([source], { approval: { fils_write: true } })).toThrow('approval.fils_write is not a tool');
    expect(() => create([source, createSource('files', [])])).toThrow('two sources of tools have the name files');
  });
});
