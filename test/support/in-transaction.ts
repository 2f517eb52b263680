import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';

/** The product waits 2 s for a connection, but a slow machine may need longer to open one. */
const maxAttempts = 30;

/** Runs a function of the domain in a transaction on a separate connection. */
export async function transacted<Result>(
  orm: Orm,
  act: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(orm, act);
    } catch (error) {
      // No statement has been sent.
      const unconnected = /timeout expired|timeout exceeded when trying to connect/.test(String(error));
      if (!unconnected || attempt === maxAttempts) throw error;
    }
  }
}
