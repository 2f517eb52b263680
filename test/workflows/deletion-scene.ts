import { createPublicKey, verify } from 'node:crypto';
import { afterAll } from '@jest/globals';
import type { TestTenant } from '../support/factories.ts';
import { aPreparedTenant, type Receipt } from './deletions.ts';
import { anInstallation } from './migrations.ts';

interface Signed {
  readonly header: Readonly<Record<string, string>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** An installation with a worker for the tests of one file, and a tenant with data of users. */
export async function deletionScene() {
  const installation = await anInstallation();
  afterAll(installation.close);
  await installation.startWorker();
  const { api } = installation;
  const tenant = await aPreparedTenant(api);
  const sql = <Row extends object>(text: string, values: unknown[] = []) =>
    api.database.sql<Row>(text, values);
  const eventsOf = async (of: TestTenant, type: string) =>
    sql<{ payload: Record<string, unknown> }>(
      `select payload from event where api_key_id = $1 and type = $2 order by at, id`,
      [of.id, type],
    );

  /** Verifies a receipt like an auditor, with only the published keys. */
  const checked = async ({ jws }: Pick<Receipt, 'jws'>): Promise<Signed | undefined> => {
    const [header = '', payload = '', signature = ''] = jws.split('.');
    const parsed = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as never;
    const { kid } = parsed(header) as { kid: string };
    const response = await fetch(`${api.url}/.well-known/jwks.json`);
    const { keys } = (await response.json()) as { keys: { kid: string }[] };
    const key = createPublicKey({ key: keys.find((one) => one.kid === kid) as never, format: 'jwk' });
    const good = verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
    return good ? { header: parsed(header), payload: parsed(payload) } : undefined;
  };
  return { installation, tenant, sql, eventsOf, checked };
}
