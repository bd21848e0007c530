/** Text that a page has and its readers do not see: a place for instructions to models. It is omitted. */

/** Elements without text for readers, or with the navigation of the site. */
const skippedElements: ReadonlySet<string> = new Set([
  ...[
    'script',
    'style',
    'noscript',
    'noframes',
    'noembed',
    'template',
    'svg',
    'math',
    'canvas',
    'iframe',
    'object',
    'embed',
    'audio',
    'video',
  ],
  ...['button', 'select', 'option', 'datalist', 'textarea', 'input', 'dialog', 'nav', 'footer', 'aside', 'map'],
]);

const zero = String.raw`0(?:\.0+)?(?:px|pt|em|rem|%|vh|vw)?\s*(?:;|!|$)`;

/** Styles that hide: not those of style sheets, which are not read. */
const hiddenStyle = new RegExp(
  [
    String.raw`(?:^|;)\s*(?:display\s*:\s*none`,
    String.raw`visibility\s*:\s*(?:hidden|collapse)`,
    String.raw`(?:opacity|font-size|(?:max-)?(?:height|width))\s*:\s*${zero}`,
    String.raw`clip-path\s*:\s*(?:inset\(\s*(?:[5-9]\d(?:\.\d{1,6})?%\s*\)|[^);]{0,60}?\d{3,6}%)|(?:circle|ellipse)\(\s*0)`,
    String.raw`clip\s*:\s*rect\((?:\s*[01](?:px)?(?:\s*,)?){4}\s*\)`,
    String.raw`(?:text-indent|left|top)\s*:\s*-\d{3,})`,
  ].join('|'),
  'i',
);

export function isHiddenElement(name: string, attributes: Readonly<Record<string, string>>): boolean {
  if (skippedElements.has(name) || 'hidden' in attributes) return true;
  if (attributes['aria-hidden']?.toLowerCase() === 'true') return true;
  if (attributes.role === 'navigation' || attributes.role === 'dialog') return true;
  return attributes.style !== undefined && hiddenStyle.test(simplifyStyle(attributes.style));
}

/** Comments, which may be between any two parts of a declaration. Within a string, the same characters are text. */
const commentsAndStrings = /"[^"]*"|'[^']*'|\/\*[\s\S]*?(?:\*\/|$)/g;

function simplifyStyle(style: string): string {
  return style.replace(commentsAndStrings, (match) => (match.startsWith('/') ? ' ' : '""')).replace(/\s+/g, ' ');
}
