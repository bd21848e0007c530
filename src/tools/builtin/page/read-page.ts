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
import { removeInvisible, shorten } from '../../../core/lib/index.js';
import { isHiddenElement } from './hidden.js';
import { PageText } from './page-text.js';

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
  /** Null for what is not a main part. */
  readonly main: MainPart | null;
}

interface MainPart {
  readonly from: number;
  /** -1 until it is closed. */
  to: number;
}

/** Resolved only where it is returned: a page may have a link for each ten characters. */
interface FoundLink {
  readonly href: string;
  readonly base: URL;
  readonly at: number;
  text: string;
}

/** @param maxLinks the most links that are returned */
export async function readPage(html: string, base: URL, maxLinks: number, signal: AbortSignal): Promise<ReadPage> {
  const page = new PageText();
  const stack: OpenElement[] = [];
  const links: FoundLink[] = [];
  const mains: MainPart[] = [];
  let hidden = 0;
  let title: string | null = null;
  let inTitle = false;
  let isCut = false;
  let link: FoundLink | null = null;
  let baseUrl: URL | null = null;

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
        if (stack.length >= maxDepth || page.getLength() > maxTextLength) {
          isCut = true;
          return;
        }
        const isHidden = isHiddenElement(name, attributes);
        if (isHidden) hidden++;
        const isMain = name === 'main' || name === 'article' || attributes.role === 'main';
        const main = isMain && hidden === 0 && !inTitle ? { from: page.getLength(), to: -1 } : null;
        stack.push({ name, isHidden, main });
        // The first counts, as in a browser.
        if (name === 'base' && attributes.href !== undefined) baseUrl ??= toUrl(attributes.href, base) ?? base;
        if (name === 'title' && title === null && hidden === 0) {
          title = '';
          inTitle = true;
        }
        if (hidden > 0 || inTitle) return;
        page.open(name, attributes);
        if (main !== null) mains.push(main);
        const { href } = attributes;
        if (name === 'a' && href !== undefined) {
          const isKept = links.length < maxFoundLinks && mayBePage(href);
          link = isKept ? { href, base: baseUrl ?? base, at: page.getLength(), text: '' } : null;
        }
      },
      ontext: (text) => {
        if (isCut || hidden > 0) return;
        // A text without tags is reported in many parts.
        isCut = page.getLength() + pending.length + text.length > maxTextLength;
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
          link.text = shorten(link.text.replace(/\s+/g, ' ').trim(), maxLinkText);
          if (link.text !== '') links.push(link);
          link = null;
        }
        page.close(name);
        if (closed?.main != null) closed.main.to = page.getLength();
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
  const { from, to } = chooseRange(mains, page.getLength());
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
function chooseRange(mains: readonly Readonly<MainPart>[], end: number): Readonly<MainPart> {
  let longest = { from: 0, to: 0 };
  for (const { from, to: closedAt } of mains) {
    const to = closedAt < 0 ? end : closedAt;
    if (to - from > longest.to - longest.from) longest = { from, to };
  }
  return longest.to - longest.from >= minMainLength ? longest : { from: 0, to: end };
}

function chooseLinks(links: readonly FoundLink[], { from, to }: Readonly<MainPart>, max: number): readonly PageLink[] {
  const byUrl = new Map<string, PageLink>();
  for (const { text, href, base, at } of links) {
    if (byUrl.size >= max) break;
    const url = at >= from && at < to ? toUrl(href, base)?.href : undefined;
    if (url !== undefined && !byUrl.has(url)) byUrl.set(url, { text, url });
  }
  return [...byUrl.values()];
}

/** Returns false for a target within the page, and for another scheme. What remains may still be no URL. */
function mayBePage(href: string): boolean {
  if (href.startsWith('#') || href.length > maxLinkLength) return false;
  const scheme = /^([a-z][a-z0-9+.-]{0,30}):/i.exec(href)?.[1]?.toLowerCase();
  return scheme === undefined || scheme === 'http' || scheme === 'https';
}

/** Returns null for what is not a web page. */
function toUrl(href: string, base: URL): URL | null {
  if (!mayBePage(href)) return null;
  let url: URL;
  try {
    url = new URL(href, base);
  } catch {
    return null;
  }
  url.username = '';
  url.password = '';
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
}
