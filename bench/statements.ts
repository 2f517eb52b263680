import { DummyDriver, Kysely, PostgresDialect } from 'kysely';
import { authenticateKey } from '../domain/credentials/authenticate.ts';
import { readSmallOrganizations } from '../domain/organizations/read-organizations.ts';
import type { EntityManager } from '../platform/database/orm.ts';

/** Compiles statements for PostgreSQL without sending them. */
class UnsentDialect extends PostgresDialect {
  constructor() {
    super({ pool: () => Promise.reject(new Error('No statement is sent.')) });
  }

  override createDriver(): never {
    return new DummyDriver() as never;
  }
}

/** Returns the exact statement that a function of the domain sends, for a floor to send too. */
async function statementOf(act: (em: EntityManager) => Promise<unknown>): Promise<string> {
  let sent: string | undefined;
  const kysely = new Kysely<unknown>({
    dialect: new UnsentDialect(),
    log: ({ query }) => void (sent ??= query.sql),
  });
  const em = { isInTransaction: () => true, config: new Map(), getKysely: () => kysely };
  await act(em as unknown as EntityManager);
  if (sent === undefined) throw new Error('No statement was sent.');
  return sent;
}

const anyTenant = { id: '0', switches: {} } as unknown as Parameters<typeof readSmallOrganizations>[1];

export const credentialStatement = (): Promise<string> =>
  statementOf((em) => authenticateKey(em, { apiKey: '', authToken: '' }));

export const organizationsStatement = (): Promise<string> =>
  statementOf((em) => readSmallOrganizations(em, anyTenant, ['']));
