/** How servers of the Chat Completions API differ, by their address. */

import type { FileRule, StructuredOutput } from '../../core/model/index.js';

export interface ChatServer {
  /** `openai`, or the host: the owner of its reasoning, which no other server gets. */
  readonly name: string;
  /** The member for the limit of output tokens. A request has never both. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Whether usage in a stream must be requested. Mistral sends it unasked, and rejects the request for it. */
  readonly takesStreamOptions: boolean;
  /** Whether this is OpenAI's own service, whose reasoning models reject stop sequences. */
  readonly isOpenai: boolean;
  readonly files: readonly FileRule[];
  readonly structuredOutput: StructuredOutput;
}

/** Any image that base64 leaves below the 20 MB of a request. */
const image: FileRule = {
  kind: 'image',
  mediaTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  maxBytes: 10_000_000,
  maxSide: 8_000,
};
const pdf: FileRule = { kind: 'pdf', maxBytes: 10_000_000, maxPages: 100 };

/** Hosts, with their subdomains. */
const openaiHosts = ['api.openai.com'];
const azureHosts = ['openai.azure.com', 'cognitiveservices.azure.com', 'services.ai.azure.com'];
const pdfHosts = [...openaiHosts, 'openrouter.ai'];

/** @param host with its port, as in an address */
export function describeChatServer(host: string): ChatServer {
  const isOneOf = (hosts: readonly string[]) => hosts.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
  const isOpenai = isOneOf([...openaiHosts, ...azureHosts]);
  return {
    name: host === 'api.openai.com' ? 'openai' : host,
    maxTokensField: isOpenai ? 'max_completion_tokens' : 'max_tokens',
    takesStreamOptions: !isOneOf(['mistral.ai']),
    isOpenai,
    files: isOneOf(pdfHosts) ? [image, pdf] : [image],
    structuredOutput: isOpenai ? 'with_tools' : 'without_tools',
  };
}

/** OpenAI's reasoning models: `o4-mini`, `gpt-5.5`. The deployments of Azure may have any name. */
export function rejectsStopSequences({ isOpenai }: ChatServer, model: string): boolean {
  return isOpenai && /^(o\d|gpt-([5-9]|\d\d))/.test(model);
}

/** Models of Mistral, on any server, reject a user's message after the result of a tool. */
export function rejectsUserAfterTool({ name }: ChatServer, model: string): boolean {
  return name.endsWith('mistral.ai') || /mistral|ministral|devstral|codestral|magistral|pixtral|mixtral/i.test(model);
}
