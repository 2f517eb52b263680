import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { entities } from '../../../domain/entities.ts';
import { noticeRestore, noticeTimeline } from '../../../domain/restores/epochs.ts';
import { openDatabase } from '../../../platform/database/open-database.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { aTenant, type TestTenant } from '../../support/factories.ts';
import { aProxyTo, type Proxy } from '../../support/proxy.ts';
import { aPrimaryAndStandby, type PrimaryAndStandby } from '../../support/standby.ts';

let servers: PrimaryAndStandby;
let proxy: Proxy;
let api: TestApi;
let tenant: TestTenant;

const organizationId = 'acme';

beforeAll(async () => {
  servers = await aPrimaryAndStandby();
  proxy = await aProxyTo(servers.database.url);
  // Like a load balancer or a DNS name that follows the primary server.
  api = await startTestApi({ database: servers.database, databaseUrl: proxy.url });
  tenant = await aTenant(api);
  await tenant.ok('/v2/organizations/add', { organizations: [{ organizationId, organizationName: 'Acme' }] });
});
afterAll(async () => {
  await api.close();
  await proxy.cut();
  await servers.close();
});

const add = async (documentId: string) =>
  tenant.call('/v2/organizations/documents/add', { organizationId, documents: [{ documentId }] });

const exists = async (documentId: string): Promise<boolean> => {
  const { data } = await tenant.ok<readonly object[]>('/v2/organizations/documents/get', {
    organizationId,
    documentIds: [documentId],
  });
  return data.length === 1;
};

async function restoreNoticed(notice: typeof noticeRestore): Promise<string | undefined> {
  const settings = { poolSize: 1, statementTimeoutMs: 60_000, plansOnce: false, entities };
  const opened = openDatabase({ url: proxy.url, ...settings });
  try {
    return await notice(opened.orm.em.fork());
  } finally {
    await opened.close();
  }
}

/** The responses that callers have received. */
interface Responses {
  readonly acknowledged: string[];
  readonly refusals: Map<string, number>;
}

async function callUntil(
  stop: AbortSignal,
  name: string,
  { acknowledged, refusals }: Responses,
): Promise<void> {
  for (let nth = 0; !stop.aborted; nth += 1) {
    const documentId = `${name}-${String(nth)}`;
    const { status, body } = await add(documentId);
    if (status === 200) acknowledged.push(documentId);
    else {
      const refusal = `${String(status)} ${String(body.error?.status)}`;
      refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
    }
  }
}

describe('a failover to a synchronous standby', () => {
  it('loses no acknowledged write, and refuses the others as unavailable until the standby is promoted', async () => {
    await restoreNoticed(noticeRestore);
    const responses: Responses = { acknowledged: [], refusals: new Map() };
    const stop = new AbortController();
    const callers = ['a', 'b', 'c', 'd'].map(async (name) => callUntil(stop.signal, name, responses));
    const more = async (count: number): Promise<void> => {
      const goal = responses.acknowledged.length + count;
      await eventually(() => responses.acknowledged.length >= goal);
    };
    await more(500);
    servers.killPrimary();
    await eventually(() => responses.refusals.size > 0);
    const beforePromotion = responses.acknowledged.length;
    proxy.redirect(servers.standbyUrl);
    // The standby reads, and refuses writes.
    await eventually(async () => exists(responses.acknowledged.at(-1) ?? ''));
    const refused = await add('on the standby');
    expect([refused.status, refused.body.error?.status]).toEqual([503, 'UNAVAILABLE']);
    await servers.promote();
    await more(500);
    stop.abort();
    await Promise.all(callers);
    expect([...responses.refusals.keys()]).toEqual(['503 UNAVAILABLE']);
    expect(beforePromotion).toBeGreaterThanOrEqual(500);
    // A busy machine refuses some reads as unavailable.
    const lost = await pLimit(8).map(responses.acknowledged, async (id) =>
      eventually(async () => ((await exists(id)) ? [] : [id])),
    );
    expect(lost.flat()).toEqual([]);
    // As the first claim of webhook messages does.
    expect(Number(await restoreNoticed(noticeTimeline))).toBeGreaterThan(1);
  });
});
