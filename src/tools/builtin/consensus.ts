/** A tool that asks several models the same question side by side, and compares their answers. */

import { z } from 'zod';
import { check, countUtf8Bytes, type Json, toCanonicalJson } from '../../core/lib/index.js';
import { countJudgedBytes } from '../../core/model/index.js';
import {
  type CallModels,
  createDefinitionErrorFactory,
  defineTool,
  type ModelQuestion,
  NotDone,
  type Tool,
  ToolError,
  toOutputSchema,
  validateInput,
  validateSchema,
} from '../define/index.js';
import {
  type Consensus,
  type ConsensusRule,
  decideConsensus,
  findJson,
  groupAnswers,
  judgeInstruction,
  type ModelOpinion,
  parseVerdict,
  renderJudgeQuestion,
  type Verdict,
} from './compare-answers.js';
import {
  addModels,
  checkTemperature,
  createQuestionMembers,
  createTextListener,
  defaultMaxTokens,
  isWorthRetrying,
  type ModelToolOptions,
  modelToolChecks,
  readAnswer,
  toDefinitionPart,
} from './model-tool.js';

export interface ConsensusToolOptions extends ModelToolOptions {
  /** Default `consensus`. */
  readonly name?: string | undefined;
  /**
   * `majority`: the answer of more than half of all models. `unanimous`: the answer of all. `judge`: the answer that the model
   * `judge` chooses, with its reason.
   */
  readonly rule: ConsensusRule;
  /** Alias or id of the judging model; only with the rule `judge`. */
  readonly judge?: string | undefined;
  /** The schema of the answers: the models answer with JSON, and another answer counts as none. Default: text. */
  readonly answerSchema?: z.ZodType | undefined;
  /** The member of the answers that is compared. Default: the whole answer. */
  readonly compareBy?: string | undefined;
}

const defaultDescription =
  'Asks several language models the same question at once and compares their answers. Expensive: use it only for a decision that must be right. The models see only this prompt. The answer is null where they differ too much; `answers` shows where.';

const checkOptions = check.members<ConsensusToolOptions>({
  ...modelToolChecks,
  rule: check.oneOf(['majority', 'judge', 'unanimous']),
  judge: check.nonEmptyText,
  answerSchema: validateSchema,
  compareBy: check.nonEmptyText,
});

function validateOptions(options: ConsensusToolOptions): string | null {
  const problem = checkOptions(options, '');
  if (problem !== null) return problem;
  if (options.rule === undefined) return '.rule is missing: expected majority, judge or unanimous';
  if (options.models.length < 2) return '.models must name at least two models';
  if ((options.rule === 'judge') !== (options.judge !== undefined)) {
    return options.judge === undefined ? 'the rule judge needs `judge`, a model' : '`judge` needs the rule judge';
  }
  return options.compareBy !== undefined && options.answerSchema === undefined
    ? '`compareBy` needs `answerSchema`'
    : null;
}

/**
 * Creates a tool that asks all its models, side by side. The most that a call may cost is reserved before it is made, and shown
 * in its step and in a request for approval.
 *
 * @throws {LonghandError} `invalid_options`; `invalid_tool` for an option that all tools have
 * @example
 * consensusTool({ models: ['claude-sonnet-5-5', 'gpt-6', 'gemini-4-pro'], rule: 'majority', approval: true })
 */
export function consensusTool(options: ConsensusToolOptions): Tool {
  check.assertNoProblem(validateOptions(options), 'consensusTool');
  const { name = 'consensus', description = defaultDescription, models, rule, judge } = options;
  const { maxTokens = defaultMaxTokens, system = '', answerSchema, compareBy = null } = options;
  const form = answerSchema === undefined ? '' : renderForm(answerSchema, name);
  const schema = z.object(createQuestionMembers(maxTokens));
  const tool = defineTool({
    ...toDefinitionPart(options),
    name,
    description,
    inputSchema: schema,
    returns: '`answer` (null if undecided), `why`, all `answers` with their models, and models that `failed`',
    view: { summary: 'Asked several models: {why}', ...options.view },
    execute: () => {
      throw new NotDone(`${name} asks models of a worker: start a chain with it.`);
    },
  });
  const own = judge === undefined ? '' : judgeInstruction;
  return {
    ...tool,
    bindModels: (find) =>
      addModels(tool.snapshot, {
        kind: 'consensus',
        models: models.map(find),
        judge: judge === undefined ? null : find(judge),
        maxTokens,
        instructionBytes: countUtf8Bytes(`${system}${form}${own}`),
      }),
    parse: (value) => {
      const { prompt, system: own = system, temperature } = schema.parse(value);
      const execute = tool.parse(value);
      const question = { system: `${own}${form}`.trim(), prompt, temperature };
      return (context, callModels) =>
        callModels === undefined
          ? execute(context)
          : findConsensus(question, callModels, { rule, member: compareBy, answerSchema, emit: context.emit });
    },
  };
}

function renderForm(schema: z.ZodType, name: string): string {
  const outputSchema = toOutputSchema(schema, createDefinitionErrorFactory('defineTool', { name }));
  return `\n\nAnswer with JSON only, of this schema: ${toCanonicalJson(outputSchema)}`;
}

interface ConsensusSettings {
  readonly rule: ConsensusRule;
  readonly member: string | null;
  readonly answerSchema: z.ZodType | undefined;
  readonly emit: (interim: Pick<Consensus, 'answers'>) => void;
}

async function findConsensus(
  question: ModelQuestion,
  models: CallModels,
  { rule, member, answerSchema, emit }: ConsensusSettings,
): Promise<Consensus> {
  const answerParts = models.parts.flatMap(({ role, model }, part) => (role === 'answer' ? [{ part, model }] : []));
  checkTemperature(
    question.temperature,
    answerParts.map(({ model }) => model),
  );
  let retries = 0;
  const texts = new Map<string, string>();
  const listen = (name: string) =>
    createTextListener((text) => {
      texts.set(name, text);
      emit({ answers: [...texts].map(([model, answer]) => ({ models: [model], answer })) });
    });
  const opinions = await Promise.all(
    answerParts.map(async ({ part, model }): Promise<ModelOpinion> => {
      const answer = await models.ask(part, { ...question, onText: listen(model.name) });
      if (!answer.ok && isWorthRetrying(answer.kind)) retries++;
      if (!answer.ok) return { model: model.name, problem: `${answer.kind.replaceAll('_', ' ')}: ${answer.message}` };
      const read = readAnswer(answer);
      return 'problem' in read
        ? { model: model.name, ...read }
        : { model: model.name, ...readForm(read.text, answerSchema) };
    }),
  );
  const failed = opinions.flatMap((opinion) => ('problem' in opinion ? [`${opinion.model}: ${opinion.problem}`] : []));
  if (failed.length === opinions.length) {
    const message = `No model answered. ${failed.join('; ')}`;
    throw retries > 0 ? new Error(message) : new ToolError(message);
  }
  const verdict = rule === 'judge' ? await askJudge(question.prompt, opinions, models, member) : null;
  return decideConsensus(rule, opinions, member, verdict);
}

/** Returns the answer as JSON of the schema, or as text without one. */
function readForm(
  text: string,
  schema: z.ZodType | undefined,
): { readonly answer: Json } | { readonly problem: string } {
  if (schema === undefined) return { answer: text };
  const value = findJson(text);
  if (value === undefined) return { problem: 'its answer is not JSON' };
  const problem = validateInput(schema, value);
  return problem === null ? { answer: value } : { problem: `its answer does not fit the schema: ${problem}` };
}

/** Returns null if there is nothing to judge. */
async function askJudge(
  prompt: string,
  opinions: readonly ModelOpinion[],
  { parts, ask }: CallModels,
  member: string | null,
): Promise<Verdict | null> {
  const answers = groupAnswers(opinions, member);
  const judge = parts.findIndex(({ role }) => role === 'judge');
  if (answers.length < 2 || judge === -1) return null;
  // As reserved: this worker's own limit may be higher.
  const max = Math.max(...parts.map(({ reservation }) => reservation.outputTokens));
  const judgeQuestion = renderJudgeQuestion(prompt, answers, countJudgedBytes(max));
  const reply = await ask(judge, { system: judgeInstruction, prompt: judgeQuestion });
  if (!reply.ok) return { problem: `${reply.kind.replaceAll('_', ' ')}: ${reply.message}` };
  const read = readAnswer(reply);
  return 'problem' in read ? read : parseVerdict(read.text);
}
