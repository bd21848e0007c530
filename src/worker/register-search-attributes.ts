/** Registers what the list of workflows is searched by. Idempotent, and needed before a chain may set them. */

import type { OperatorService } from '@temporalio/client';
import proto from '@temporalio/proto';
import { searchAttributes } from '../contract/search-attributes.js';

const types = {
  Keyword: proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  Int: proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_INT,
  Double: proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
} as const;

/**
 * @returns null, or why the server refused: chains then run without search attributes
 */
export async function registerSearchAttributes(service: OperatorService, namespace: string): Promise<string | null> {
  try {
    const { customAttributes } = await service.listSearchAttributes({ namespace });
    const missing = searchAttributes.filter(({ name }) => !Object.hasOwn(customAttributes ?? {}, name));
    if (missing.length === 0) return null;
    await service.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(({ name, type }) => [name, types[type]])),
    });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
