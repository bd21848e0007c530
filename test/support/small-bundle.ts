/** A workflow bundle without the source texts, which are most of a bundle that each worker parses. */

const mapComment = '//# sourceMappingURL=data:application/json;charset=utf-8;base64,';

/** Removes the source texts. The map still names files and lines. */
export function removeSources(bundle: string): string {
  const [code = '', map = ''] = bundle.split(mapComment);
  const { sourcesContent: _, ...rest } = JSON.parse(Buffer.from(map, 'base64').toString()) as Record<string, unknown>;
  return code + mapComment + Buffer.from(JSON.stringify(rest)).toString('base64');
}
