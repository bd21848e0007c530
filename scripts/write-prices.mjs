/**
 * Writes prices/models.json, the shipped price map, from LiteLLM's: the current models of the big providers, with only the
 * members that Longhand reads.
 *
 *     pip download --no-deps litellm && unzip litellm-*.whl 'litellm/model_prices*'
 *     node scripts/write-prices.mjs litellm/model_prices_and_context_window_backup.json
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'node:util';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('Name the price map: node scripts/write-prices.mjs <file>');

const providers = ['anthropic', 'openai', 'gemini', 'mistral', 'deepseek', 'xai', 'groq', 'together_ai'];

const members = [
  'litellm_provider',
  'mode',
  'input_cost_per_token',
  'output_cost_per_token',
  'output_cost_per_reasoning_token',
  'cache_read_input_token_cost',
  'cache_creation_input_token_cost',
  'max_input_tokens',
  'max_output_tokens',
  'max_tokens',
  'supports_function_calling',
  'supports_parallel_function_calling',
  'supports_reasoning',
  'supports_vision',
  'supports_pdf_input',
  'supports_response_schema',
  'supports_sampling_parameters',
  'supports_sampling_params',
];

/** Models for other purposes, previews, and names that are found without their date. */
const left =
  /ft:|audio|search|realtime|preview|-exp|beta|experimental|tts|lyria|robotics|research|guard|container|cyber|computer-use|vibe-cli|labs-|daybreak|rosalind|learnlm|gemma-2|multi-agent|voxtral|chat-latest|-gv2|customtools|omni|law$|codex|mamba|glm|tiny|[-@](\d{8}|\d{4}-\d{2}-\d{2}|\d{4}|latest)$/;

const today = new Date().toISOString().slice(0, 10);

function isShipped([name, entry]) {
  if (!providers.includes(entry.litellm_provider) || !['chat', 'responses'].includes(entry.mode)) return false;
  if (entry.litellm_provider === 'together_ai' && !/llama/i.test(name)) return false;
  if (entry.deprecation_date !== undefined && entry.deprecation_date <= today) return false;
  const isPriced = entry.input_cost_per_token > 0 && entry.output_cost_per_token > 0;
  return isPriced && !left.test(name);
}

/** Rates of long requests: `input_cost_per_token_above_200k_tokens`. */
const isTier = (member) => {
  const [, rate] = /^(.+)_above_\d+k_tokens$/.exec(member) ?? [];
  return rate?.includes('_cost') && members.includes(rate);
};

const all = Object.entries(JSON.parse(readFileSync(file, 'utf8')));
const shipped = all.filter(isShipped).map(([name, found]) => {
  // Of Claude, the map names only the models that reject sampling parameters.
  const takesAny = found.litellm_provider === 'anthropic' && found.supports_sampling_params === undefined;
  const entry = takesAny ? { ...found, supports_sampling_params: true } : found;
  const kept = Object.entries(entry).filter(([member]) => members.includes(member) || isTier(member));
  return [name, Object.fromEntries(kept.sort(([a], [b]) => order(a) - order(b)))];
});
shipped.sort(([a, x], [b, y]) => rank(x) - rank(y) || a.localeCompare(b));
writeFileSync('prices/models.json', `${JSON.stringify(Object.fromEntries(shipped), null, 2)}\n`);
console.log(format('prices/models.json: %d models of %d', shipped.length, all.length));

function rank({ litellm_provider }) {
  return providers.indexOf(litellm_provider);
}

function order(member) {
  const at = members.indexOf(member);
  return at < 0 ? members.length : at;
}
