import { afterAll, expect, it } from '@jest/globals';
import { listen } from '../../cli/demo/listen.ts';
import { createNarrator } from '../../cli/demo/narrator.ts';
import type { Stage } from '../../cli/demo/stage.ts';
import { createClient } from '../../packages/client/source/steward.ts';
import { startTestApi } from '../support/api.ts';
import { aTenant } from '../support/factories.ts';

const api = await startTestApi({ environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } });
afterAll(() => api.close());

it('a canceled demo stops to wait for events, deletes its endpoint, and ends its server', async () => {
  const tenant = await aTenant(api);
  const { apiKey, authToken } = tenant;
  const stopRequest = new AbortController();
  const { signal } = stopRequest;
  const credentials = { baseUrl: api.url, apiKey, authToken };
  const listener = await listen({
    installation: credentials as Stage['installation'],
    steward: createClient({ ...credentials, signal }),
    narrator: createNarrator(() => undefined),
    run: 'one',
    signal,
  });
  const endpoints = async () => {
    const { data } = await tenant.ok<{ endpoints: readonly { readonly url: string }[] }>(
      '/v2/workspace/advancedwebhook/endpoints/get',
    );
    return data.endpoints.map(({ url }) => url);
  };
  const [url = ''] = await endpoints();
  const waiting = listener.until(() => undefined, 600_000);
  stopRequest.abort(new Error('The demo was canceled.'));
  await expect(waiting).rejects.toThrow('The demo was canceled.');
  await listener.stop();
  await expect(endpoints()).resolves.toEqual([]);
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});
