/** The chat of the AI SDK in Node: what `useChat` runs, with its state in memory instead of React. */

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

export class UiChat extends AbstractChat<UIMessage> {
  constructor({ messages, onChange = () => {}, ...init }: ChatInit<UIMessage> & Pick<UiChatOptions, 'onChange'>) {
    super({ ...init, state: new MemoryState(messages ?? [], onChange) });
  }
}

export interface UiChatOptions extends ChatInit<UIMessage> {
  /** The caller, see `toTestIdentity`. */
  readonly caller?: string;
  readonly agent?: string;
  /** Role to read as. */
  readonly view?: string;
  readonly onChange?: (messages: readonly UIMessage[]) => void;
}

export function openUiChat(
  url: string,
  id: string,
  { caller = 'ana@acme', agent = 'traveller', view = 'developer', ...init }: UiChatOptions = {},
): UiChat {
  const transport = new DefaultChatTransport<UIMessage>({
    api: `${url}/v1/chat/${agent}?as=${view}`,
    headers: { authorization: `Bearer ${caller}`, 'ai-sdk-version': '7' },
  });
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
