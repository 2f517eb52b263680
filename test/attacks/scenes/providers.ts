import assert from 'node:assert/strict';
import { aProvider, type ProviderBehavior, type TestProvider } from '../../support/provider.ts';
import type { Scene, Stage, Target } from '../scene.ts';

const organizationId = 'checked';
/** Ids as long as an organization may choose them, because waiting checks hold them. */
const documentIds = Array.from({ length: 100 }, (_, at) => `document-${String(at)}-`.padEnd(200, 'x'));

/** Responds to each request with more than the API reads, in pieces. */
const flooding: ProviderBehavior = (_received, response) => {
  response.setHeader('content-type', 'application/json');
  const send = (): void => {
    if (!response.destroyed && response.write(Buffer.alloc(65_536, ' '))) setImmediate(send);
    else response.once('drain', send);
  };
  send();
};

const hanging: ProviderBehavior = () => undefined;

/** Many concurrent checks of one key, whose permission provider does not respond, or without end. */
export function providers(full: boolean): Stage {
  const callsMeanwhile = full ? 100 : 30;
  let provider: TestProvider;
  const scene = (
    title: string,
    { calls, users, behavior }: { calls: number; users: number; behavior: ProviderBehavior },
  ): Scene => ({
    title,
    async prepare({ attacker }) {
      provider = await aProvider();
      provider.behave(behavior);
      await attacker.ok('/v2/workspace/permissionproviderconfig/update', {
        usePermissionProvider: true,
        permissionProviderConfig: { permissionProviderUrl: provider.url },
      });
    },
    async attack({ attacker }, neighborServed) {
      const responses = Array.from({ length: calls }, async (_, call) => {
        const userIds = Array.from({ length: users }, (_user, at) => `user-${String(call)}-${String(at)}`);
        return attacker.call('/v2/auth/permissions/get', { organizationId, userIds, documentIds });
      });
      await neighborServed(callsMeanwhile);
      // Calls that still wait end with the failure of the provider.
      await provider.close();
      const statuses = (await Promise.all(responses)).map(({ status }) => status);
      assert.deepEqual(
        [...new Set(statuses)].filter((status) => ![200, 429, 503].includes(status)),
        [],
      );
    },
  });
  return {
    environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' },
    prepare: async ({ attacker }: Target) => {
      await attacker.ok('/v2/organizations/add', { organizations: [{ organizationId }] });
      await attacker.ok('/v2/organizations/documents/add', {
        organizationId,
        documents: documentIds.map((documentId) => ({ documentId })),
      });
    },
    scenes: [
      scene('200 calls of 10,000 checks whose permission provider hangs', {
        calls: 200,
        users: 100,
        behavior: hanging,
      }),
      scene('500 calls of 100 checks whose permission provider hangs', {
        calls: 500,
        users: 1,
        behavior: hanging,
      }),
      scene('50 calls of 1,000 checks whose permission provider responds without end', {
        calls: 50,
        users: 10,
        behavior: flooding,
      }),
    ],
  };
}
