/**
 * The secrets that a tool declares, for one call of it. L5: they are read before its `run` is entered, so where one is not
 * there the call certainly did not happen.
 */

import { Context } from '@temporalio/activity';
import { failureTypes } from '../../contract/names.js';
import { defaults } from '../../core/model/defaults.js';
import { type Hider, noHider, shortestSecret } from '../../core/redact/known-secrets.js';
import { handOut } from '../../secrets/handed-out.js';
import { readSecret } from '../../secrets/read-secret.js';
import type { SecretScope } from '../../secrets/secret-provider.js';
import type { Tool } from '../../tools/define/define-tool.js';
import type { Dependencies } from '../context/dependencies.js';
import { failure } from '../context/failures.js';
import { inTime } from '../context/in-time.js';
import { ownState } from '../context/own-state.js';

export interface SecretsOfCall {
  /** For the tool. */
  readonly secret: (name: string) => string;
  /** Hides them in what the tool says. */
  readonly hider: Hider;
}

type Asking = Pick<Dependencies, 'secrets' | 'folds'>;

/** @throws NotDone; as one that may be tried again where a secret could not be read */
export async function secretsOfCall(asking: Asking, tool: Tool): Promise<SecretsOfCall> {
  const { name: by, secrets: declared = [] } = tool;
  if (declared.length === 0) return { secret: ofThese(by, new Map()), hider: noHider };
  const problem = `For which tenant ${by} needs its secrets could not be found out`;
  const { input } = await ownState(asking.folds, Context.current(), problem);
  const scope: SecretScope = { tenant: input?.tenant ?? null };
  const read = async (name: string) => [name, await readOne(asking.secrets, { by, name, scope })] as const;
  const values = new Map(await Promise.all(declared.map(read)));
  return { secret: ofThese(by, values), hider: handOut([...values.values()]) };
}

interface Wanted {
  readonly by: string;
  readonly name: string;
  readonly scope: SecretScope;
}

async function readOne(secrets: Dependencies['secrets'], { by, name, scope }: Wanted): Promise<string> {
  const notDone = (why: string, retryable = false) =>
    failure(failureTypes.notDone, `The secret ${name}, which ${by} needs, ${why}`, { retryable });
  const read = (await inTime(readSecret(secrets, name, scope), defaults.checkMs))?.value;
  if (read === undefined) throw notDone('did not come in time; it was not run.', true);
  if (read.kind === 'unreadable') throw notDone(`could not be read (${read.why}); it was not run.`, true);
  if (read.kind === 'missing') {
    const whose = scope.tenant === null ? '' : ` for tenant ${scope.tenant}`;
    throw notDone(`is not there${whose}; it was not run. Set ${name} where this worker reads its secrets.`);
  }
  if (read.value.trim().length >= shortestSecret) return read.value;
  const short = `is shorter than ${shortestSecret} characters, so it could not be told from other words and hidden`;
  throw notDone(`${short}; it was not run. Set a longer one.`);
}

function ofThese(tool: string, values: ReadonlyMap<string, string>): SecretsOfCall['secret'] {
  return (name) => {
    const value = values.get(name);
    if (value !== undefined) return value;
    throw new TypeError(`${tool} does not declare the secret ${name}: write secrets: ['${name}'] in its defineTool.`);
  };
}
