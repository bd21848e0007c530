/** The built-in tools. */

export { type AskUserOptions, askUser } from './ask-user.js';
export { type CalculatorOptions, calculator } from './calculator.js';
export type { ConsensusRule } from './compare-answers.js';
export { type ConsensusToolOptions, consensusTool } from './consensus.js';
export { type CsvQueryOptions, csvQuery } from './csv-query.js';
export { type FetchPageToolOptions, fetchPageTool } from './fetch-page.js';
export type { DataQueryOptions } from './files/data-source.js';
export { findAny, findFile } from './files/find-files.js';
export { type Directory, openDirectory, openFile } from './files/open-file.js';
export {
  describeErrorCode,
  findPlace,
  foldName,
  type Place,
  pathSchema,
  type Root,
  toRelativePath,
} from './files/root.js';
export { type FileToolsOptions, fileTools, listFilesBelow, restrictTools, toRoot } from './files.js';
export {
  createToolClient,
  type HttpToolOptions,
  httpToolChecks,
  toHttpDefinitionPart,
  toToolFailure,
} from './http/http-tool.js';
export { checkModelHeaders, prepareHeaders, type RequestHeaders, type SecretHeader } from './http/request-headers.js';
export type { HttpMethod } from './http/request-input.js';
export { toRequestResult } from './http/request-result.js';
export { toResultBody } from './http/response-body.js';
export { shortenMasked } from './http/shorten-masked.js';
export { type HttpRequestToolOptions, httpRequestTool } from './http-request.js';
export { type JsonQueryOptions, jsonQuery } from './json-query.js';
export { type LlmToolOptions, llmTool } from './llm.js';
export { type RecallOptions, type RememberOptions, recall, remember } from './memory.js';
export type { ModelToolOptions } from './model-tool.js';
export { type NowOptions, now } from './now.js';
export { type ReadMoreOptions, readMore } from './read-more.js';
export { type SkillScript, type SkillToolsOptions, skillTools } from './skills.js';
export { type SqlQueryOptions, sqlQuery } from './sql-query.js';
export { type WaitOptions, wait } from './wait.js';
