import type { EntityManager, EventSubscriber, MikroORM } from '@mikro-orm/postgresql';
import type { Settings } from './settings.ts';

export type { EntityManager } from '@mikro-orm/postgresql';
export type Orm = MikroORM;

/** What waits for the commit of one transaction. */
class CommitActions implements EventSubscriber {
  #actions: (() => void)[] = [];

  add(action: () => void): void {
    this.#actions.push(action);
  }

  /** What was registered is not done: its writes were taken back. */
  forget(): void {
    this.#actions = [];
  }

  afterTransactionCommit(): Promise<void> {
    for (const action of this.#actions) action();
    return Promise.resolve();
  }
}

/** Each transaction has its own: MikroORM gives it an event manager of its own. */
const commitActionsOf = (em: EntityManager): CommitActions | undefined =>
  [...em.getEventManager().getSubscribers()].find((subscriber) => subscriber instanceof CommitActions);

/** Runs `action` once the transaction of `em` has committed, and never otherwise; at once when there is none. It must not throw. */
export function afterCommit(em: EntityManager, action: () => void): void {
  const actions = commitActionsOf(em);
  if (actions === undefined) action();
  else actions.add(action);
}

/** Forgets what `afterCommit` was told in this transaction. */
export const forgetCommitActions = (em: EntityManager): void => commitActionsOf(em)?.forget();

/**
 * Runs `work` in one transaction with an entity manager of its own; entities are flushed before the commit.
 * Entities live as long as the transaction: nothing is kept from one call to the next. `settings` hold within it alone.
 */
export async function inTransaction<Result>(
  { em }: { readonly em: EntityManager },
  work: (em: EntityManager) => Promise<Result>,
  settings?: Settings,
): Promise<Result> {
  return em.fork().transactional(
    async (own) => {
      own.getEventManager().registerSubscriber(new CommitActions());
      return work(own);
    },
    settings === undefined ? {} : { sessionContext: { variables: { ...settings } } },
  );
}
