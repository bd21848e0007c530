/** The page of docs/chat.md, bundled for a browser. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the code of the page in the docs. */
export function readChatPage(): string {
  const [, code] = /^```tsx\n([\s\S]*?)^```$/m.exec(readFileSync(`${root}docs/chat.md`, 'utf8')) ?? [];
  if (code === undefined) throw new Error('docs/chat.md has no page');
  return code;
}

export async function bundleChatPage(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: readChatPage(), resolveDir: root, loader: 'tsx', sourcefile: 'page.tsx' },
    ...{ bundle: true, write: false, format: 'esm', target: 'es2022', jsx: 'automatic' },
    // The version of the SDK that useChat is of; the package itself has another one.
    alias: { ai: 'ai-7' },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]?.text ?? '';
}

export const chatHtml = `<!doctype html>
<meta charset="utf-8">
<title>Chat</title>
<style>
  body { font: 16px/1.4 system-ui; max-width: 46rem; margin: 2rem auto; }
  section { margin: 1rem 0; padding: 0.2rem 1rem; border-radius: 8px; background: #f4f4f5; }
  section.user { background: #dbeafe; margin-left: 8rem; }
  .call { border-left: 3px solid #a1a1aa; padding-left: 0.6rem; margin: 0.4rem 0; }
  pre { margin: 0.2rem 0; white-space: pre-wrap; }
  i, small { color: #71717a; }
</style>
<div id="root"></div>
<script type="module" src="/page.js"></script>`;
