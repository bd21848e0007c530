/** A server of the Messages API with prepared replies for the tasks of docs/getting-started.md. */

import { once } from 'node:events';
import { createServer } from 'node:http';

/** By task: each reply is a text, and a call. */
const replies = {
  'Compare the weather': [
    {
      text: 'I need the current weather of both cities. San Francisco first.',
      call: { name: 'get_weather', input: { city: 'San Francisco' } },
    },
    { text: 'Now the same for Paris, to compare.', call: { name: 'get_weather', input: { city: 'Paris' } } },
    { text: 'San Francisco has 18 °C, Paris 12 °C. San Francisco is 6 °C warmer.' },
  ],
  'Pay Ada': [
    { text: 'I pay Ada.', call: { name: 'pay', input: { account: 'DE89370400440532013000', cents: 25_000 } } },
    { text: 'Ada is paid.' },
  ],
};

/** Starts the server. It replies by the task and the number of results in the request. */
export async function startModel() {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(toReply(Buffer.concat(chunks).toString())));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

function toReply(request) {
  const { messages = [] } = JSON.parse(request);
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const results = blocks.filter(({ type }) => type === 'tool_result').length;
  const [, script] = Object.entries(replies).find(([task]) => request.includes(task)) ?? [];
  const { text, call } = script?.[results] ?? { text: 'I know no such task.' };
  const use = call === undefined ? [] : [{ type: 'tool_use', id: `call_${results}`, ...call }];
  return {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-5-5' },
    content: [{ type: 'text', text }, ...use],
    stop_reason: call === undefined ? 'end_turn' : 'tool_use',
    usage: { input_tokens: 700, output_tokens: 50 },
  };
}
