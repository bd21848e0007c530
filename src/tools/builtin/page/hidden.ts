/** Text that a page has and its readers do not see: a place for instructions to models. It is left out. */

/** Elements without text for readers, or with the navigation of the site. */
const skippedElements: ReadonlySet<string> = new Set([
  ...[
    'script',
    'style',
    'noscript',
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

const hiddenStyle =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)|font-size\s*:\s*0(?:\D|$)|(?:max-)?(?:height|width)\s*:\s*0(?:px)?\s*(?:;|!|$)|text-indent\s*:\s*-\d{3,}|(?:left|top)\s*:\s*-\d{3,})/i;

export function isHiddenElement(name: string, attributes: Readonly<Record<string, string>>): boolean {
  if (skippedElements.has(name) || 'hidden' in attributes) return true;
  if (attributes['aria-hidden']?.toLowerCase() === 'true') return true;
  if (attributes.role === 'navigation' || attributes.role === 'dialog') return true;
  return attributes.style !== undefined && hiddenStyle.test(attributes.style);
}
