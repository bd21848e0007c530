/** Prompts of a folder: their files, their variables, and the agents that have them. */

import { readFile, rm } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSnapshot } from '../../src/agents/snapshot.js';
import type { AgentSnapshot, ReactOptions } from '../../src/core/model/agent.js';
import { renderRequest } from '../../src/core/strategies/strategies.js';
import type { ModelProvider } from '../../src/entries/models.js';
import { loadPrompts, type PromptValue } from '../../src/entries/prompts.js';
import { type AgentDefinition, defineAgent, defineTool } from '../../src/index.js';
import { loadCatalogue } from '../../src/models/catalogue/catalogue.js';
import { createModels } from '../../src/models/models.js';
import { prepared } from '../support/core-play.js';
import { matchError } from '../support/match-error.js';
import { meteorologistPrompt } from '../support/prompt-folder.js';
import { createFolder } from '../support/skill-folder.js';

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

const load = async (text: string, name = 'meteorologist') => {
  const folder = await createFolder({ [`${name}.md`]: text });
  folders.push(folder);
  return loadPrompts(folder);
};
const prompts = await load(meteorologistPrompt);

it('the prompt of docs/prompts.md is valid', async () => {
  const page = await readFile(new URL('../../docs/prompts.md', import.meta.url), 'utf8');
  const { get } = await load(/^```markdown\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '');
  expect(get('meteorologist', { city: 'Paris' }).instructions).toContain('the weather of Paris with that of');
});

describe('a prompt', () => {
  it('has its values in place of its variables, and is text otherwise', () => {
    const { instructions } = prompts.get('meteorologist', { city: '{{days}} $& cities', units: ['kelvin', 'm/s'] });
    expect(instructions).toBe(
      'You compare the weather of {{days}} $& cities for 3 days. Units: kelvin, m/s.\nBrief: false. A template has {{braces}}.',
    );
  });

  it('has a version, which is equal for other line ends, and differs for another content', async () => {
    const { version } = prompts.get('meteorologist', { city: 'Paris' });
    expect(version).toMatch(/^[0-9a-f]{12}$/);
    const versionOf = async (text: string) => (await load(text)).list[0]?.version;
    expect(await versionOf(`\ufeff${meteorologistPrompt.replaceAll('\n', '\r\n')}`)).toBe(version);
    expect(await versionOf(meteorologistPrompt.replace('Rome.', 'Oslo.'))).not.toBe(version);
  });

  it.each<readonly [string, Readonly<Record<string, PromptValue>>, string]>([
    ['missing', {}, 'the variable city (text) has no value'],
    ['unknown', { city: 'Paris', dayz: 3 }, 'dayz is not a variable; you may mean days'],
    ['of another type', { city: 3 }, 'city must be a text, not 3'],
    ['not a list', { city: 'Paris', units: 'kelvin' }, 'units must be a list, not "kelvin"'],
  ])('rejects a value that is %s', (_, values, problem) => {
    expect(() => prompts.get('meteorologist', values)).toThrow(matchError('invalid_prompt', problem));
  });

  it('is found by its name, and the nearest name is suggested', () => {
    expect(() => prompts.get('meteorologst')).toThrow(matchError('invalid_prompt', 'Did you mean meteorologist?'));
  });

  it.each<readonly [string, string, string]>([
    ['without front matter', 'You are a clerk.', ':1: it must begin with front matter'],
    ['with invalid YAML', meteorologistPrompt.replace('days: {', 'days: }{'), ':6: its front matter is not valid YAML'],
    ['without a name', meteorologistPrompt.replace('name: meteorologist', 'title: x'), ':2: title is unknown'],
    ['of another name', meteorologistPrompt.replace('name: m', 'name: M'), ':2: name is Meteorologist, but'],
    ['of an unknown type', meteorologistPrompt.replace('boolean', 'bool'), ':9: variables.brief.type must be text,'],
    [
      'with a wrong default',
      meteorologistPrompt.replace('default: 3', 'default: x'),
      ':6: variables.days.default must',
    ],
    ['with a wrong example', meteorologistPrompt.replace('answer:', 'reply:'), ':18: examples.0.reply is unknown'],
    ['with an unknown variable', meteorologistPrompt.replace('{{days}}', '{{day}}'), ':21: {{day}} is not a variable'],
    ['with logic', meteorologistPrompt.replace('{{brief}}', '{{#if brief}}'), ':22: {{#if brief}} must be the name'],
    ['with an open placeholder', meteorologistPrompt.replace('{{brief}}', '{{brief'), ':22: {{ must be the name'],
    ['without instructions', meteorologistPrompt.replace(/\nYou[\s\S]*/, ''), ':20: it has no instructions'],
  ])('%s is rejected, with file and line', async (_, text, problem) => {
    await expect(load(text)).rejects.toThrow(matchError('invalid_prompt', `meteorologist.md${problem}`));
  });
});

const unused: ModelProvider = { name: 'unused', call: () => Promise.reject(new Error('Unexpected call.')) };

const getWeather = defineTool({
  ...{ name: 'get_weather', description: 'Weather of a city.', effects: 'read', execute: () => '' },
  inputSchema: z.object({ city: z.string() }),
});

function takeSnapshot(options: Partial<AgentDefinition>): AgentSnapshot {
  return createSnapshot(
    defineAgent({ name: 'clerk', model: 'claude-sonnet-5-5', tools: [getWeather], ...options }),
    { model: null, limits: {} },
    {
      models: createModels({ providers: [unused], catalogue: loadCatalogue() }),
      ...{ defaultModel: null, modelRetry: {}, onProviderError: 'hold', localCalls: true },
    },
  );
}

describe('an agent with a prompt', () => {
  const prompt = prompts.get('meteorologist', { city: 'Paris' });
  const { name, version } = prompt;

  it.each(['react', 'tools', 'autonomous', 'plan'] as const)('sends it with its examples: %s', (strategy) => {
    const snapshot = takeSnapshot({ prompt, strategy });
    expect(snapshot.prompt).toEqual({ name, version });
    const { system } = renderRequest(prepared(snapshot).chain, snapshot, 'step');
    expect(system.split('You compare the weather of Paris')).toHaveLength(2);
    expect(system.split('Which city is warmer, Oslo or Rome?')).toHaveLength(2);
    const call = strategy === 'react' ? 'Action: get_weather\nAction Input: ' : 'Call: get_weather\nCall Input: ';
    expect(system).toContain(`Thought: I need both.\n${call}{"city":"Oslo"}\n`);
    expect(snapshot.promptBytes).toBeGreaterThan(system.length);
  });

  it('of the strategy react has the examples of its prompt, then those of its strategy', () => {
    const own = { task: 'Is it warm?', steps: [], answer: 'Yes.' };
    const { strategy } = takeSnapshot({ prompt, strategy: { name: 'react', requireThought: false, examples: [own] } });
    expect((strategy as ReactOptions).examples).toEqual([...prompt.examples, own]);
  });

  it('has the digest of its instructions without one: nothing is recorded that is not used', () => {
    const plain = takeSnapshot({ instructions: 'You are a clerk.' });
    expect(plain).not.toHaveProperty('prompt');
    const bare = { ...prompt, instructions: 'You are a clerk.', examples: [] };
    const { prompt: _, digest, ...rest } = takeSnapshot({ prompt: bare });
    expect({ ...rest, digest: plain.digest }).toEqual(plain);
    expect(digest).not.toBe(plain.digest);
  });

  it('cannot have instructions too, or examples with calls that it cannot make', () => {
    const definition = { name: 'clerk', prompt, tools: [getWeather] };
    expect(() => defineAgent({ ...definition, instructions: 'x' })).toThrow(
      'instructions and prompt cannot be combined',
    );
    expect(() => defineAgent({ ...definition, tools: [] })).toThrow(
      'prompt.examples.0.steps.0.action "get_weather" is not',
    );
    expect(() => defineAgent({ ...definition, prompt: 'meteorologist' } as never)).toThrow('prompt must be an object');
  });
});
