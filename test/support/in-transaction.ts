import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';

/** The product waits 2 s for a connection; a machine that is slow may need longer to make one. */
const maxAttempts = 30;

/** Runs a function of the domain in a transaction, beside the API. */
export async function transacted<Result>(
  orm: Orm,
  act: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(orm, act);
    } catch (error) {
      // Nothing has been sent yet.
      const unconnected = /timeout expired|timeout exceeded when trying to connect/.test(String(error));
      if (!unconnected || attempt === maxAttempts) throw error;
    }
  }
}
