/**
 * Pages of links: HTML without scripts and without anything from elsewhere. Every text is escaped, and invisible characters,
 * which can turn a text around, are written out.
 */

import { createHash } from 'node:crypto';
import { showInvisible } from '../../core/lib/index.js';

/** Markup. Only this module and its callers' constants make it; texts are escaped by `html`. */
export class Html {
  constructor(readonly markup: string) {}
}

type Part = string | number | Html | readonly Html[] | null;

/**
 * Escapes all values of a template that are no markup.
 *
 * @example html`<p>${text}</p>`
 */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(strings.reduce((markup, text, at) => markup + toMarkup(values[at - 1] ?? null) + text));
}

function toMarkup(value: Part): string {
  if (value === null) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(({ markup }) => markup).join('');
  return escapeHtml(showInvisible(String(value)));
}

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => entities[character] ?? '');
}

const style = `
:root{color-scheme:light dark;--page:#f4f4f2;--card:#fff;--ink:#1c1c1a;--soft:#65655f;--line:#deded8;--field:#fafaf8;
--yes:#1f6f43;--no:#a3312a;--warn:#8a5a00}
@media(prefers-color-scheme:dark){:root{--page:#151513;--card:#1f1f1c;--ink:#eeeee8;--soft:#a3a39a;--line:#3a3a34;
--field:#181816;--yes:#2a7a4f;--no:#d0564d;--warn:#d9a441}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;
padding:clamp(16px,5vw,56px) 16px}
main{max-width:640px;margin:0 auto;background:var(--card);border:1px solid var(--line);border-radius:14px;
padding:clamp(20px,5vw,36px)}
h1{font-size:1.35rem;line-height:1.3;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:.85rem;font-weight:400;color:var(--soft);margin:18px 0 4px}
p{margin:0 0 16px}p:last-child{margin-bottom:0}form{margin-bottom:22px}.soft{color:var(--soft);font-size:.9rem;overflow-wrap:anywhere}
.why{border-left:3px solid var(--line);padding:2px 0 2px 14px;margin:0 0 18px;white-space:pre-wrap;overflow-wrap:anywhere}
dl{margin:18px 0;border-top:1px solid var(--line)}
dt{color:var(--soft);font-size:.85rem;padding-top:10px;overflow-wrap:anywhere}
dd{margin:0;padding-bottom:10px;border-bottom:1px solid var(--line)}
pre{margin:0;font:.875rem/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;white-space:pre-wrap;overflow-wrap:anywhere;
max-height:24em;overflow:auto}
label{display:block;font-size:.9rem;color:var(--soft);margin:20px 0 6px}
textarea{width:100%;min-height:4.5em;font:inherit;color:inherit;background:var(--field);border:1px solid var(--line);
border-radius:8px;padding:10px;resize:vertical}
.buttons{display:flex;flex-wrap:wrap;gap:12px;margin-top:16px}
button{flex:1 1 140px;min-height:48px;font:inherit;font-weight:600;border-radius:10px;border:1px solid transparent;
padding:10px 18px;cursor:pointer}
.yes{background:var(--yes);color:#fff}.no{background:transparent;color:var(--no);border-color:var(--no)}
button:focus-visible,textarea:focus-visible{outline:3px solid var(--ink);outline-offset:2px}
.warn{color:var(--warn);font-size:.9rem}
.risk{display:inline-block;font-size:.8rem;font-weight:600;color:var(--warn);border:1px solid currentColor;
border-radius:99px;padding:0 10px;margin-bottom:10px}
`;

/** The content policy permits this style alone; no script, and no form to elsewhere. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

export function createPage(status: number, title: string, content: Html): Response {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
  return new Response(page.markup, { status, headers });
}
