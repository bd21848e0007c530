/** Validates the options of a worker and reads the environment, before anything is opened. */

import type { DataConverter } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { WorkflowBundleOption } from '@temporalio/worker';
import type { SnapshotDefaults } from '../agents/index.js';
import { LonghandError } from '../core/lib/index.js';
import { anyKeyVariable } from '../core/model/index.js';
import { resolveEncryption, toSealingConverter } from '../encryption/index.js';
import {
  type AccessRules,
  createModels,
  createProvidersFromEnvironment,
  loadCatalogue,
  loadModelDefinitions,
  readDefaultModel,
  readModelsFile,
  readPricesFile,
} from '../models/index.js';
import { parseDuration } from '../options/index.js';
import { checkTokenRelay } from '../relay/index.js';
import { createDefaultSecrets } from '../secrets/index.js';
import { parseSpendingOptions } from './budget-options.js';
import { sealFailures } from './bundle.js';
import { toCircuitRules } from './circuits.js';
import { checkHooks } from './hooks.js';
import { defaultSweepMs } from './worker-archive.js';
import {
  checkApprovals,
  checkAudit,
  checkDetect,
  checkModelRetryOptions,
  checkModelRuleOptions,
  checkSecrets,
  checkTemporal,
  checkVisibility,
  indexAgents,
  type LonghandWorkerOptions,
  toContinueAfter,
  toOwnActivities,
  toRetention,
} from './worker-options.js';

export type WorkerSettings = Awaited<ReturnType<typeof resolveWorkerSettings>>;

export async function resolveWorkerSettings(
  options: LonghandWorkerOptions,
  findBundle: () => Promise<WorkflowBundleOption>,
) {
  const agents = indexAgents(options.agents);
  const ownActivities = toOwnActivities(options.activities, agents);
  checkVisibility(options.visibility);
  checkApprovals(options.approvals, [...agents.keys()]);
  checkDetect(options.detect);
  checkSecrets(options.secrets);
  checkAudit(options.audit);
  checkModelRetryOptions(options);
  checkModelRuleOptions(options);
  checkTemporal(options.temporal);
  checkHooks(options.hooks);
  checkTokenRelay(process.env);
  const retention = toRetention(options.retention, process.env);
  const continueAfter = toContinueAfter(options.continueAfter, process.env);
  const sweepIntervalMs = parseDuration(options.sweepInterval ?? defaultSweepMs, 'sweepInterval');
  const circuitRules = toCircuitRules(options.circuitBreaker);
  const secrets = options.secrets ?? createDefaultSecrets(process.env);
  const providers =
    options.providers ?? (await createProvidersFromEnvironment(process.env, secrets)).map(({ provider }) => provider);
  if (providers.length === 0) {
    throw new LonghandError(
      'model_not_configured',
      `No model is configured. Set ${anyKeyVariable}, or OPENAI_BASE_URL or LONGHAND_MODEL_URL for another server, or pass \`providers\`.`,
    );
  }
  const listed = options.models ?? readModelsFile(process.env);
  const models = createModels({
    providers,
    catalogue: loadCatalogue(options.prices ?? readPricesFile(process.env)),
    definitions: listed === null ? new Map() : loadModelDefinitions(listed),
  });
  const snapshotDefaults: SnapshotDefaults = {
    models,
    defaultModel: options.defaultModel ?? readDefaultModel(process.env),
    modelRetry: options.modelRetry ?? {},
    onProviderError: options.onProviderError ?? 'hold',
    localCalls: options.localCalls ?? true,
    policy: options.approvals?.policy,
  };
  const modelAccess: AccessRules = {
    rules: options.modelRules ?? [],
    environment: options.environment ?? (process.env.LONGHAND_ENVIRONMENT?.trim() || null),
  };
  const { encryption, dataConverter, workflowBundle } = await resolveWorkflows(
    { encryption: options.encryption, dataConverter: options.temporal?.dataConverter },
    findBundle,
  );
  const converter = loadDataConverter(dataConverter);
  const spending = parseSpendingOptions(options, models);
  const policies = { spending, retention, continueAfter, sweepIntervalMs, circuitRules };
  return {
    ...{ agents, ownActivities, secrets, models, modelAccess, snapshotDefaults },
    ...{ encryption, dataConverter, converter, workflowBundle, ...policies },
  };
}

/** Resolves what a worker, or a replay, needs to run workflows: their bundle, and the keys of their payloads. */
export async function resolveWorkflows(
  options: Pick<LonghandWorkerOptions, 'encryption'> & { readonly dataConverter: DataConverter | undefined },
  findBundle: () => Promise<WorkflowBundleOption>,
) {
  const encryption = resolveEncryption(options.encryption, process.env);
  const dataConverter = toSealingConverter(options.dataConverter, encryption);
  const bundle = await findBundle();
  return { encryption, dataConverter, workflowBundle: encryption === null ? bundle : await sealFailures(bundle) };
}
