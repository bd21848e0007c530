/**
 * Reads HTML as text for a model, in one pass without a tree.
 *
 * A parser that builds a document needs seconds for 30 KB of hostile HTML and blocks the worker; this one takes a time in
 * proportion to the bytes, and lets other work run in between.
 *
 * R1 A page is read up to limits of depth and length; beyond them it is cut, never rejected.
 */

import { setImmediate } from 'node:timers/promises';
import { Parser } from 'htmlparser2';
import { shorten } from '../../../core/lib/display.js';
import { removeInvisible } from '../../../core/lib/plain-text.js';
import { isHiddenElement } from './hidden.js';
import { createPageText } from './page-text.js';

export interface PageLink {
  readonly text: string;
  readonly url: string;
}

export interface ReadPage {
  readonly title: string;
  /** Markdown, without the targets of links. */
  readonly text: string;
  /** In their order, each target once; only http and https. */
  readonly links: readonly PageLink[];
  /** Whether the page has more than was read (R1). */
  readonly isCut: boolean;
}

const chunkLength = 32_768;
const maxDepth = 512;
const maxTextLength = 500_000;
const maxTitleLength = 300;
const maxLinkLength = 1_000;
/** A main part with less text is not the content. */
const minMainLength = 200;

interface OpenElement {
  readonly name: string;
  readonly isHidden: boolean;
  readonly isMain: boolean;
}

interface FoundLink extends PageLink {
  readonly at: number;
}

/** @param maxLinks the most links that are returned */
export async function readPage(html: string, base: URL, maxLinks: number, signal: AbortSignal): Promise<ReadPage> {
  const page = createPageText();
  const stack: OpenElement[] = [];
  const links: FoundLink[] = [];
  const mains: { from: number; to: number }[] = [];
  let hidden = 0;
  let title: string | null = null;
  let inTitle = false;
  let isCut = false;
  let link: { readonly url: string; readonly at: number; text: string } | null = null;
  let baseUrl = base;

  /** The parser reports texts in small parts. */
  let pending = '';
  const flush = () => {
    if (pending === '') return;
    const visible = removeInvisible(pending);
    pending = '';
    if (inTitle) title = shorten(`${title ?? ''}${visible}`, maxTitleLength);
    else page.text(visible);
    if (link !== null && link.text.length < maxLinkText) link.text += visible;
  };

  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        flush();
        if (stack.length >= maxDepth || page.length() > maxTextLength) {
          isCut = true;
          return;
        }
        const isHidden = isHiddenElement(name, attributes);
        const isMain = name === 'main' || name === 'article' || attributes.role === 'main';
        stack.push({ name, isHidden, isMain });
        if (isHidden) hidden++;
        if (name === 'base' && attributes.href !== undefined) baseUrl = toUrl(attributes.href, base) ?? base;
        if (name === 'title' && title === null && hidden === 0) {
          title = '';
          inTitle = true;
        }
        if (hidden > 0 || inTitle) return;
        page.open(name, attributes);
        if (isMain) mains.push({ from: page.length(), to: -1 });
        if (name === 'a' && attributes.href !== undefined) {
          const url = toUrl(attributes.href, baseUrl);
          link = url === null ? null : { url: url.href, at: page.length(), text: '' };
        }
      },
      ontext: (text) => {
        if (isCut || hidden > 0) return;
        // A text without tags is reported in many parts.
        isCut = page.length() + pending.length + text.length > maxTextLength;
        if (!isCut) pending += text;
      },
      onclosetag: (name) => {
        flush();
        if (isCut || stack.at(-1)?.name !== name) return;
        const closed = stack.pop();
        if (closed?.isHidden) hidden--;
        if (name === 'title') inTitle = false;
        if (hidden > 0 || closed?.isHidden) return;
        if (name === 'a' && link !== null) {
          const text = shorten(link.text.replace(/\s+/g, ' ').trim(), maxLinkText);
          if (text !== '' && links.length < maxFoundLinks) links.push({ text, url: link.url, at: link.at });
          link = null;
        }
        page.close(name);
        if (closed?.isMain) {
          const main = mains.findLast(({ to }) => to < 0);
          if (main !== undefined) main.to = page.length();
        }
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  for (let at = 0; at < html.length && !isCut; at += chunkLength) {
    parser.write(html.slice(at, at + chunkLength));
    await setImmediate(undefined, { signal });
  }
  if (!isCut) parser.end();
  flush();
  const { from, to } = chooseRange(mains, page.length());
  return {
    title: removeInvisible((title ?? '') as string)
      .replace(/\s+/g, ' ')
      .trim(),
    text: page.slice(from, to),
    links: chooseLinks(links, { from, to }, maxLinks),
    isCut,
  };
}

const maxFoundLinks = 2_000;
const maxLinkText = 100;

/** The longest main part, if it has enough text; else all. */
function chooseRange(mains: readonly { from: number; to: number }[], end: number): { from: number; to: number } {
  const closed = mains.map(({ from, to }) => ({ from, to: to < 0 ? end : to }));
  const [longest] = closed.toSorted((a, b) => b.to - b.from - (a.to - a.from));
  return longest !== undefined && longest.to - longest.from >= minMainLength ? longest : { from: 0, to: end };
}

function chooseLinks(
  links: readonly FoundLink[],
  { from, to }: { readonly from: number; readonly to: number },
  most: number,
): readonly PageLink[] {
  const byUrl = new Map<string, PageLink>();
  for (const { text, url, at } of links) if (at >= from && at < to && !byUrl.has(url)) byUrl.set(url, { text, url });
  return [...byUrl.values()].slice(0, most);
}

/** Returns null for what is not a web page, and for a target within the page. */
function toUrl(href: string, base: URL): URL | null {
  if (href.startsWith('#') || href.length > maxLinkLength || !URL.canParse(href, base.href)) return null;
  const url = new URL(href, base.href);
  url.username = '';
  url.password = '';
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
}
