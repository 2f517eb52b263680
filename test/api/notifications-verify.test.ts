import { describe, expect, it } from '@jest/globals';
import { verifyOutside } from '../../api/notifications/verify.ts';
import { TransportError } from '../../api/http/response/transport-error.ts';
import { reachAmong } from '../../domain/notifications/decide-recipients.ts';
import type { PermissionProvider } from '../../domain/permissions/provider/permission-provider.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';

const ids = (kind: string, count: number, bytes: number) =>
  Array.from({ length: count }, (_, at) => `${kind}${String(at)}-`.padEnd(bytes, 'x'));

/** Verifies with a provider that allows nobody. Records its calls and the reserved bytes, in order. */
async function verify(
  documentIds: readonly string[],
  userIds: readonly string[],
  reserve = async () => Promise.resolve(),
): Promise<readonly (string | number)[]> {
  const calls: (string | number)[] = [];
  const provider = {
    async decide() {
      calls.push('provider');
      return Promise.resolve([]);
    },
  } as unknown as PermissionProvider;
  const verification = { organizationId: 'acme', documentIds, userIds };
  const reaching = verifyOutside.reach(
    { provider, tenant: {} as Tenant, verification },
    AbortSignal.timeout(60_000),
    {
      async reserve(bytes) {
        calls.push(bytes);
        return reserve();
      },
    },
  );
  await reaching.catch((error: unknown) => calls.push((error as TransportError).status));
  return calls;
}

describe('verifying access with a permission provider', () => {
  const [documents, users] = [ids('document', 100, 1_000), ids('user', 100, 1_000)];

  it('reserves the bytes of all pairs before it calls the provider', async () => {
    const [bytes, ...others] = await verify(documents, users);
    // Each of 10,000 pairs holds both ids twice.
    expect(bytes).toBeGreaterThan(10_000 * 4_000);
    expect(others).toEqual(['provider']);
  });

  it('does not call the provider without room for the pairs', async () => {
    const refuse = async () => Promise.reject(new TransportError('UNAVAILABLE', 'no room'));
    expect(await verify(documents, users, refuse)).toEqual([expect.any(Number), 'UNAVAILABLE']);
  });

  it('reserves nothing for 10 pairs', async () => {
    expect(await verify(documents.slice(0, 1), users.slice(0, 10))).toEqual(['provider']);
  });
});

describe('the allowed pairs of a query', () => {
  it('are those of its rows', () => {
    const mayReach = reachAmong(['ann', 'ben'], ['one', 'two'], [{ user_ext: 'ann', ordinal: 2 }]);
    const reaches = (userId: string, documentId: string) => mayReach({ userId, location: { documentId } });
    expect(reaches('ann', 'two')).toBe(true);
    expect([
      reaches('ann', 'one'),
      reaches('ben', 'two'),
      reaches('cid', 'two'),
      reaches('ann', 'six'),
    ]).toEqual([false, false, false, false]);
  });
});
