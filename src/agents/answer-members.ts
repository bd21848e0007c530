/**
 * Members that an answer has by option: its findings with their reasons, the criteria of its decision, and a confidence. They are
 * part of the output schema, so every strategy asks for them and validates them as the agent's own members.
 */

import { z } from 'zod';
import { isObject, type Json, type JsonObject } from '../core/lib/index.js';
import {
  type DefinitionErrorFactory,
  type SchemaInput,
  type ToolSchema,
  toJsonSchema,
  validateInput,
} from '../tools/define/index.js';
import type { Agent, AgentDefinition } from './agent-definition.js';

const text = z.string().trim().min(1);

const findingMembers = {
  findings: z
    .array(
      z.strictObject({
        statement: text.describe('One finding, as a sentence'),
        reason: text.describe('Why it holds: the values that show it, and the rule that they meet or break'),
        sources: z
          .array(text)
          .describe(
            'Names of the tools or documents whose results show it, as they are in the conversation; else empty',
          ),
      }),
    )
    .describe('Each finding that the answer is based on. Empty without any'),
  decision: z
    .strictObject({
      criteria: z
        .array(text)
        .describe('What decided, one criterion each with its value, for example: credit_score 580 < 620'),
    })
    .describe('Why the answer is this one and not another'),
};

const confidenceMembers = {
  confidence: z
    .number()
    .min(0)
    .max(1)
    .describe('How likely the answer is correct, from 0 to 1. Below 0.5 if important facts are missing or contradict'),
};

type Findings = z.input<z.ZodObject<typeof findingMembers>>;

/** One finding of an answer with `findings: true`. */
export type AnswerFinding = Findings['findings'][number];

/** What decided an answer with `findings: true`. */
export type AnswerDecision = Findings['decision'];

type OwnAnswer<Schema> = Schema extends ToolSchema ? SchemaInput<Schema> : { answer: string };

/** The type of an answer, by the schema and the options of its agent. */
export type AnswerOf<Schema, WithFindings, WithConfidence> = WithFindings extends true
  ? OwnAnswer<Schema> & { findings: AnswerFinding[]; decision: AnswerDecision } & (WithConfidence extends true
        ? { confidence: number }
        : unknown)
  : WithConfidence extends true
    ? OwnAnswer<Schema> & { confidence: number }
    : Schema extends ToolSchema
      ? SchemaInput<Schema>
      : string;

type AnswerRules = Pick<Agent, 'outputSchema' | 'validateAnswer'>;

/** Returns the schema of the answer and its validation. */
export function createAnswerRules(definition: AgentDefinition, complain: DefinitionErrorFactory): AnswerRules {
  const { findings = false, confidence = false, outputSchema: own } = definition;
  const added = { ...(findings ? findingMembers : {}), ...(confidence ? confidenceMembers : {}) };
  const names = Object.keys(added);
  if (names.length === 0) {
    return {
      outputSchema: own === undefined ? null : toJsonSchema(own, 'outputSchema', complain),
      validateAnswer: (answer) => (own === undefined ? null : validateInput(own, answer)),
    };
  }
  const base = own ?? z.object({ answer: z.string().describe('The answer to the task') });
  const addedSchema = z.object(added);
  return {
    outputSchema: joinSchemas(
      toJsonSchema(base, 'outputSchema', complain),
      toJsonSchema(addedSchema, 'findings', complain),
      complain,
    ),
    validateAnswer: (answer) => {
      if (!isObject(answer)) return validateInput(addedSchema, answer);
      // The own schema may be strict, so it sees its own members alone.
      const rest = Object.fromEntries(Object.entries(answer).filter(([name]) => !names.includes(name))) as Json;
      const problems = [validateInput(base, rest), validateInput(addedSchema, answer)].filter((text) => text !== null);
      return problems.length === 0 ? null : problems.join('\n');
    },
  };
}

function joinSchemas(own: JsonObject, added: JsonObject, complain: DefinitionErrorFactory): JsonObject {
  const { properties, required = [] } = own;
  const members = added.properties as JsonObject;
  const option = members.findings === undefined ? 'confidence' : 'findings';
  if (!isObject(properties) || ['allOf', 'anyOf', 'oneOf', 'not', '$ref'].some((keyword) => keyword in own)) {
    throw complain(
      `outputSchema must be one object with its members listed, to which ${option} adds: write z.object({ … }), or remove \`${option}\`.`,
    );
  }
  const taken = Object.keys(members).find((name) => Object.hasOwn(properties, name));
  if (taken !== undefined) {
    const by = taken === 'decision' ? 'findings' : taken;
    throw complain(
      `outputSchema has the member ${taken}, which \`${by}: true\` adds: rename yours, or remove \`${by}\`.`,
    );
  }
  const all = [...(required as readonly Json[]), ...(added.required as readonly Json[])];
  return { ...own, properties: { ...(properties as JsonObject), ...members }, required: all };
}
