/** `longhand doctor` reports the server, its namespace and the search attributes. */

import { describe, expect, it } from 'vitest';
import { checkServer } from '../../../src/cli/doctor/temporal-server.js';
import { getTemporalAddress } from '../../support/temporal.js';

describe('checkServer', () => {
  it('finds the server, its namespace and the search attributes', async () => {
    const found = await checkServer({ TEMPORAL_ADDRESS: getTemporalAddress() });
    expect(found.slice(0, 3).map(({ name, status }) => [name, status])).toEqual([
      ['Temporal server', 'ok'],
      ['Namespace', 'ok'],
      ['Search attributes', 'ok'],
    ]);
    expect(found[0].found).toMatch(/^127\.0\.0\.1:\d+, version \d+\.\d+/);
  });

  it('reports a missing namespace with the command that creates it', async () => {
    const [, namespace, attributes] = await checkServer({
      TEMPORAL_ADDRESS: getTemporalAddress(),
      TEMPORAL_NAMESPACE: 'nowhere',
    });
    expect(namespace).toMatchObject({ status: 'missing', found: expect.stringContaining('not found') });
    expect(namespace?.remedy).toContain('temporal operator namespace create --namespace nowhere');
    expect(attributes?.found).toBe('not checked: no namespace');
  });
});
