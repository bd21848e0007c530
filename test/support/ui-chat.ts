/** The chat of the AI SDK in Node: what `useChat` runs, with its state in memory instead of React. */

import * as sdk6 from 'ai';
import { AbstractChat, type ChatInit, type ChatState, DefaultChatTransport, type UIMessage } from 'ai-7';

class MemoryState implements ChatState<UIMessage> {
  status: ChatState<UIMessage>['status'] = 'ready';
  error: Error | undefined = undefined;
  readonly snapshot = structuredClone;

  constructor(
    public messages: UIMessage[],
    readonly onChange: (messages: readonly UIMessage[]) => void,
  ) {}

  pushMessage = (message: UIMessage) => this.set([...this.messages, structuredClone(message)]);
  popMessage = () => this.set(this.messages.slice(0, -1));
  replaceMessage = (index: number, message: UIMessage) =>
    this.set(this.messages.map((each, at) => (at === index ? structuredClone(message) : each)));

  private set(messages: UIMessage[]): void {
    this.messages = messages;
    this.onChange(messages);
  }
}

export interface ChatParts extends ChatInit<UIMessage>, Pick<UiChatOptions, 'onChange'> {}

export class UiChat extends AbstractChat<UIMessage> {
  constructor({ messages, onChange = () => {}, ...init }: ChatParts) {
    super({ ...init, state: new MemoryState(messages ?? [], onChange) });
  }
}

/** The chat of version 6 with the types of version 7: they are alike in all that the tests use. */
class UiChat6 extends (sdk6.AbstractChat as unknown as typeof AbstractChat)<UIMessage> {
  constructor({ messages, onChange = () => {}, ...init }: ChatParts) {
    super({ ...init, state: new MemoryState(messages ?? [], onChange) });
  }
}

export interface UiChatOptions extends ChatInit<UIMessage> {
  /** The caller, see `toTestIdentity`. */
  readonly caller?: string;
  readonly agent?: string;
  /** Major version of the AI SDK. */
  readonly sdk?: 6 | 7;
  /** Role to read as. */
  readonly view?: string;
  readonly onChange?: (messages: readonly UIMessage[]) => void;
}

export function openUiChat(
  url: string,
  id: string,
  { caller = 'ana@acme', agent = 'traveller', view = 'developer', sdk = 7, ...init }: UiChatOptions = {},
): UiChat {
  const api = `${url}/v1/chat/${agent}?as=${view}`;
  const authorization = `Bearer ${caller}`;
  if (sdk === 6) {
    const transport = new sdk6.DefaultChatTransport({ api, headers: { authorization } });
    return new UiChat6({ id, transport: transport as unknown as DefaultChatTransport<UIMessage>, ...init });
  }
  const transport = new DefaultChatTransport<UIMessage>({ api, headers: { authorization, 'ai-sdk-version': '7' } });
  return new UiChat({ id, transport, ...init });
}

/** Types of the parts of a message, without its data. */
export function listPartTypes({ parts }: UIMessage): readonly string[] {
  return parts.map(({ type }) => type).filter((type) => !type.startsWith('data-'));
}

export function getLastMessage({ messages }: { readonly messages: readonly UIMessage[] }): UIMessage {
  return messages.at(-1) ?? { id: '', role: 'system', parts: [] };
}

type ToolPart = Extract<UIMessage['parts'][number], { type: 'dynamic-tool' }>;

/** Returns the last call of the last message. */
export function getLastTool(chat: { readonly messages: readonly UIMessage[] }): ToolPart {
  const part = getLastMessage(chat).parts.findLast((each): each is ToolPart => each.type === 'dynamic-tool');
  if (part === undefined) throw new Error(`No call in ${JSON.stringify(getLastMessage(chat))}`);
  return part;
}

/** Returns the id of the request that the last call waits for. */
export function getApprovalId(chat: { readonly messages: readonly UIMessage[] }): string {
  const part = getLastTool(chat);
  if (part.state !== 'approval-requested') throw new Error(`No request in ${JSON.stringify(part)}`);
  return part.approval.id;
}

export function getText(chat: { readonly messages: readonly UIMessage[] }): string {
  return getLastMessage(chat)
    .parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('');
}
