/** An OpenAPI document that is loaded when a chain needs it: one that cannot be loaded concerns only the agents that have it. */

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAgentSources } from '../../../src/agents/agent-sources.js';
import { type OpenApiSourceOptions, openApiSource } from '../../../src/entries/tools.js';
import { type Agent, defineAgent } from '../../../src/index.js';
import { matchError } from '../../support/match-error.js';
import { petShop } from '../../support/open-api-documents.js';

const options = { name: 'shop', only: ['pets_list'], secrets: { api_key: null } } as const;

const create = (load: OpenApiSourceOptions['load'], more: Partial<OpenApiSourceOptions> = {}): Agent =>
  defineAgent({ name: 'clerk', model: 'm', tools: [openApiSource({ ...options, load, ...more })] });

function open() {
  const warnings: string[] = [];
  const log = { debug: () => {}, info: () => {}, error: () => {}, warn: (text: string) => void warnings.push(text) };
  const sources = createAgentSources({ secrets: { get: () => null }, log });
  onTestFinished(sources.close);
  return { ...sources, warnings };
}

const listNames = ({ tools }: Agent) => tools.map(({ name }) => name);

describe('a document that is loaded later', () => {
  it('is loaded once, when the first chain needs it', async () => {
    const load = vi.fn(async () => petShop('https://shop.example'));
    const agent = create(load);
    expect(load).not.toHaveBeenCalled();
    const sources = open();
    const prepared = await Promise.all([sources.prepare(agent), sources.load(agent)]);
    expect(prepared.map(listNames)).toEqual([['shop_pets_list'], ['shop_pets_list']]);
    expect(await sources.prepare(agent)).toBe(prepared[0]);
    expect(load).toHaveBeenCalledTimes(1);
    const source = { name: 'shop', digest: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect(prepared[0]?.tools[0]?.snapshot).toMatchObject({ source, effects: 'read' });
  });

  it('and cannot be, keeps its agent waiting with the reason; it is tried again for the next chain', async () => {
    let isMissing = true;
    const load = vi.fn(async () => {
      if (isMissing) throw new Error("ENOENT: no such file, open 'shop.yaml'");
      return petShop('https://shop.example');
    });
    const agent = create(load);
    const sources = open();
    const message = "The OpenAPI document of shop cannot be loaded: ENOENT: no such file, open 'shop.yaml'";
    await expect(sources.prepare(agent)).rejects.toThrow(matchError('source_unreachable', message));
    expect(sources.findProblem(agent, 'shop')).toBe(message);
    // A running chain does not wait for it with each call.
    expect(listNames(await sources.load(agent))).toEqual([]);
    expect(load).toHaveBeenCalledTimes(1);
    isMissing = false;
    expect(listNames(await sources.prepare(agent))).toEqual(['shop_pets_list']);
  });

  it.each<[string, OpenApiSourceOptions['load'], Partial<OpenApiSourceOptions>, RegExp]>([
    ['is no document', async () => 'Not found', {}, /openApiTools: the document must be an object/],
    [
      'throws at once',
      () => {
        throw new Error('No path.');
      },
      {},
      /cannot be loaded: No path\.$/,
    ],
    [
      'lacks a tool of `only`',
      async () => petShop('https://shop.example'),
      { only: ['pets_lst'] },
      /tool "pets_lst" not found/,
    ],
  ])('and %s, is reported in the same way', async (_, load, more, reason) => {
    await expect(open().prepare(create(load, more))).rejects.toThrow(reason);
    const sources = open();
    expect(listNames(await sources.prepare(create(load, { ...more, optional: true })))).toEqual([]);
    expect(sources.warnings).toEqual([expect.stringMatching(/^Agent clerk starts without the tools of shop: /)]);
  });

  it('and takes too long, is aborted', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const prepared = open().prepare(create(() => new Promise(() => {})));
    const failed = expect(prepared).rejects.toThrow(/cannot be loaded: it took more than 10 s/);
    await vi.advanceTimersByTimeAsync(10_000);
    await failed;
  });
});

it.each([
  [{ name: 'a b' }, 'name must begin with a letter'],
  [{ load: petShop('https://shop.example') }, 'load must be a function that returns the document'],
  [{ optional: 'yes' }, 'optional must be true or false'],
  [{ timeuot: 1 }, 'openApiSource: timeuot is unknown; you may mean timeout'],
])('wrong options are rejected when the agent is defined: %j', (wrong, problem) => {
  const load = async () => petShop('https://shop.example');
  expect(() => openApiSource({ ...options, load, ...wrong } as never)).toThrow(matchError('invalid_options', problem));
});
