import { afterAll, describe, expect, it } from '@jest/globals';
import { openSession, type SessionOwner } from '../../../domain/console/sessions.ts';
import { addSignInCode } from '../../../domain/console/sign-in-codes.ts';
import { disableKey, disableWorkspace } from '../../../domain/keys/change-keys.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { sha256 } from '../../../platform/encryption/tokens.ts';
import { startTestApi } from '../../support/api.ts';
import { aPage } from '../../support/console.ts';
import { anOperator, aTenant, type TestTenant } from '../../support/factories.ts';
import { transacted } from '../../support/in-transaction.ts';
import { waitsForLock } from '../../support/lock-waits.ts';

const api = await startTestApi();
afterAll(api.close);
const operator = anOperator(api);

interface Case {
  readonly credentials: (tenant: TestTenant) => object;
  readonly owner: (tenant: TestTenant) => SessionOwner;
  readonly disable: (em: EntityManager, tenant: TestTenant) => Promise<unknown>;
  readonly enable: (tenant: TestTenant) => Promise<unknown>;
  readonly message: string;
}

const byKey = {
  credentials: ({ apiKey, authToken }: TestTenant) => ({ apiKey, authToken }),
  owner: ({ id, authToken }: TestTenant): SessionOwner => ({
    kind: 'apiKey',
    ownerId: id,
    tokenHash: sha256(authToken),
  }),
};
const byWorkspace = {
  credentials: ({ workspace: { workspaceId, authToken } }: TestTenant) => ({ workspaceId, authToken }),
  owner: ({ workspace: { id, authToken } }: TestTenant): SessionOwner => ({
    kind: 'workspace',
    ownerId: id,
    tokenHash: sha256(authToken),
  }),
};
const key = {
  disable: async (em: EntityManager, { keyId }: TestTenant) => disableKey(em, { keyId }),
  enable: async ({ keyId }: TestTenant) => operator.ok('/v2/operator/keys/enable', { keyId }),
  message: 'API key is disabled.',
};
const workspace = {
  disable: async (em: EntityManager, tenant: TestTenant) =>
    disableWorkspace(em, tenant.workspace.workspaceId),
  enable: async ({ workspace: { workspaceId } }: TestTenant) =>
    operator.ok('/v2/operator/workspaces/enable', { workspaceId }),
  message: 'Workspace is disabled.',
};
const cases: readonly (readonly [string, Case])[] = [
  ['by a key, while the key', { ...byKey, ...key }],
  ['by a key, while its workspace', { ...byKey, ...workspace }],
  ['by a workspace, while the workspace', { ...byWorkspace, ...workspace }],
];

/** Runs a transaction that stays open until it is told to commit. */
async function held<Result>(act: (em: EntityManager) => Promise<Result>) {
  const [acted, committing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const committed = transacted(api.orm, async (em) => {
    const result = await act(em);
    acted.resolve();
    await committing.promise;
    return result;
  });
  await acted.promise;
  return {
    commit: async (): Promise<Result> => {
      committing.resolve();
      return committed;
    },
  };
}

describe('a sign-in', () => {
  it.each(cases)('%s is being disabled, is refused', async (_name, { credentials, disable, ...rest }) => {
    const tenant = await aTenant(api);
    const disabling = await held(async (em) => disable(em, tenant));
    const signingIn = aPage(api).call('/console/session', credentials(tenant));
    const waits = await waitsForLock(api.database, signingIn);
    await disabling.commit();
    expect(waits).toBe(true);
    expect(await signingIn).toMatchObject({ status: 403, body: { error: { message: rest.message } } });
  });

  it('by a link, while its workspace is being disabled, is refused and leaves the link valid', async () => {
    const tenant = await aTenant(api);
    const { workspaceId } = tenant.workspace;
    const code = await transacted(api.orm, async (em) => addSignInCode(em, workspaceId));
    const disabling = await held(async (em) => workspace.disable(em, tenant));
    const signingIn = aPage(api).call('/console/session', { code });
    const waits = await waitsForLock(api.database, signingIn);
    await disabling.commit();
    expect(waits).toBe(true);
    expect(await signingIn).toMatchObject({ status: 403, body: { error: { message: workspace.message } } });
    await workspace.enable(tenant);
    await aPage(api).ok('/console/session', { code });
  });

  it.each(cases)(
    '%s is about to be disabled, opens a session that stays ended after the enabling',
    async (_name, { owner, disable, enable }) => {
      const tenant = await aTenant(api);
      const signingIn = await held(async (em) =>
        openSession(em, owner(tenant), { userAgent: '', formerId: undefined }),
      );
      const disabling = transacted(api.orm, async (em) => disable(em, tenant));
      const waits = await waitsForLock(api.database, disabling);
      const { sessionId } = await signingIn.commit();
      await disabling;
      expect(waits).toBe(true);
      await enable(tenant);
      const browser = aPage(api).with({ cookie: `steward_console=${sessionId}` });
      expect(await browser.refused('/console/session', undefined, { method: 'GET' })).toMatchObject({
        http: 401,
      });
    },
  );
});
