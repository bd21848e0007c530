/** Marked data never reaches a model that may not see it: random policies, rules and failures. */

import { expect, it } from 'vitest';
import { checkModelAccess, toRequestOrigin } from '../../../src/activities/context/model-access.js';
import { chooseModel } from '../../../src/activities/model/choose-model.js';
import type { RoutePolicy } from '../../../src/agents/route-policy.js';
import type { ModelProvider } from '../../../src/entries/models.js';
import type { ModelRule } from '../../../src/entries/worker.js';
import { loadCatalogue } from '../../../src/models/catalogue/catalogue.js';
import type { ResolvedModel } from '../../../src/models/models.js';
import { budget } from '../../support/budget.js';
import { answers, asks, modelFailure, replyOf, someInput, tool, toolFailure } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';
import { modelOf, routedAgent } from '../../support/core-routing.js';
import { type Random, randomFrom } from '../../support/random.js';

const chains = budget(70, 1_000);
const classes = ['confidential', 'personal', 'secret'];
const regions = ['eu', 'us'];

const unused: ModelProvider = {
  name: 'some-provider',
  call: () => Promise.reject(new Error('No call is made here.')),
};

const plain = loadCatalogue().find('claude-sonnet-5-5')!;

it('marked data only goes to models that list all its classes, for random policies', () => {
  const totals = { sent: 0, rejected: 0, held: 0, closing: 0 };
  for (let seed = 1; seed <= chains; seed += 1) {
    const counts = playChain(randomFrom(seed), seed);
    for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += counts[name];
  }
  // Each case is frequent.
  expect(Math.min(...Object.values(totals))).toBeGreaterThan(chains / 10);
});

function playChain(random: Random, seed: number) {
  const names = ['model-0', 'model-1', 'model-2', 'model-3'].slice(0, 1 + pick(random, 4));
  const entries = new Map(
    names.map((name) => [
      name,
      { id: `${name}-1`, region: choose(random, regions) ?? null, dataClasses: classes.filter(() => random() < 0.6) },
    ]),
  );
  const models = {
    resolve: (name: string): ResolvedModel => {
      const entry = entries.get(name);
      if (entry === undefined) throw new Error(`No model is named ${name}.`);
      return { name, provider: unused, id: entry.id, entry: { ...plain, ...entry } };
    },
  };
  const rules: readonly ModelRule[] =
    random() < 0.3
      ? [
          { tenants: ['acme'], deny: { regions: ['us'] } },
          { roles: ['auditor'], allow: { models: ['model-0'] } },
        ]
      : [];
  const definition = { name: 'clerk', route: createPolicy(random, names) };
  const [, ...others] = names.map((name) => modelOf(name));
  const agent = routedAgent({
    others,
    fallbacks: others.map(({ name }) => name).filter(() => random() < 0.8),
    ...(random() < 0.7 ? { policy: true } : {}),
    agent: {
      model: modelOf('model-0'),
      tools: [
        tool('read'),
        tool('records', { dataClasses: [choose(random, classes) ?? ''] }),
        tool('pay', { effects: 'unsafe', attempts: 1, dataClasses: [choose(random, classes) ?? ''] }),
      ],
      limits: { steps: 6 },
    },
  });
  const given = classes.filter(() => random() < 0.2);
  const play = prepared(agent, {
    ...someInput,
    tenant: random() < 0.5 ? 'acme' : null,
    roles: random() < 0.2 ? ['auditor'] : [],
    ...(given.length === 0 ? {} : { dataClasses: given }),
  });
  // What the conversation contains, by the test's own account.
  const contained = new Set(given);
  const counts = { sent: 0, rejected: 0, held: 0, closing: 0 };
  for (let turn = 0; turn < 40 && !play.actions.some(({ type }) => type === 'end'); turn += 1) {
    const { flight, failing } = play.state;
    if (flight.kind === 'modelRetry') {
      if (failing?.failure === 'data_class' || failing?.failure === 'not_allowed') {
        counts.held += 1;
        expect(failing.held, `seed ${seed}`).toBe(true);
        return counts;
      }
      play.after(flight.retryDelayMs).fired('retry');
    } else if (flight.kind === 'calls') {
      for (const call of flight.calls.filter(({ progress }) => progress === 'running')) {
        // The error of an unsafe tool has its data too: a person decides on the outcome, and requests contain the question.
        if (call.tool === 'pay') play.broke(call.id, toolFailure('Error', `It broke at ${play.at}.`));
        else play.returned(call.id, `result at ${play.at}`);
        for (const each of listClasses(agent, call.tool)) contained.add(each);
      }
      if (play.state.flight.kind === 'calls') play.take(...stopWithSummary);
    } else {
      const { model, route } = chooseModel({ definition }, play.chain, agent, play.modelCall.purpose, {
        models,
        modelAccess: { rules, environment: null },
      });
      const rejected = checkModelAccess(toRequestOrigin(play.state), model, models, { rules, environment: null });
      if (rejected !== null) {
        counts.rejected += 1;
        play.failed({ ...rejected, ...route });
        continue;
      }
      counts.sent += 1;
      counts.closing += play.modelCall.purpose === 'closing' ? 1 : 0;
      const seen = entries.get(model.name);
      const unseen = [...contained].find((each) => !seen?.dataClasses.includes(each));
      if (unseen !== undefined) expect.fail(`Seed ${seed}: ${model.name} sees ${unseen}.`);
      const isDenied = rules.length > 0 && play.state.input?.tenant === 'acme' && seen?.region === 'us';
      if (isDenied) expect.fail(`Seed ${seed}: ${model.name} is called in a denied region.`);
      answerCall(play, random, route);
    }
    play.after(10);
  }
  return counts;
}

/** A person's cancel with a summary, and Temporal's own. */
const stopWithSummary = [
  { type: 'cancelRequested', id: 'request-1', by: 'ann', reason: null, summarize: true },
  { type: 'cancelRequested', id: null, by: null, reason: null, summarize: false },
] as const;

function listClasses({ tools }: ReturnType<typeof routedAgent>, name: string): readonly string[] {
  return tools.find((each) => each.name === name)?.dataClasses ?? [];
}

/** Any name, no name, no text, or an error. */
function createPolicy(random: Random, names: readonly string[]): RoutePolicy {
  return (context) => {
    const kind = random();
    if (kind < 0.1) throw new Error('No.');
    if (kind < 0.2) return { model: 'invented' };
    if (kind < 0.3) return 7 as unknown as string;
    return choose(random, kind < 0.7 ? names : context.models) ?? '';
  };
}

function answerCall(play: Play, random: Random, route: object): void {
  const kind = random();
  if (kind < 0.3) play.failed(modelFailure('overloaded', route));
  else if (kind < 0.4) play.replied({ ...replyOf({ answer: 'No.' }, { stopReason: 'refusal' }), ...route });
  else if (kind < 0.45) play.replied({ ...answers('Done.'), ...route });
  else
    play.replied({ ...asks({ tool: choose(random, ['records', 'read', 'pay']) ?? 'read', input: play.at }), ...route });
}

function pick(random: Random, below: number): number {
  return Math.floor(random() * below);
}

function choose<T>(random: Random, from: readonly T[]): T | undefined {
  return from[pick(random, from.length)];
}
