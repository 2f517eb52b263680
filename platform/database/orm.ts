import { IsolationLevel, type EntityManager, type EventSubscriber } from '@mikro-orm/postgresql';
import type { Settings } from './settings.ts';

export type { EntityManager } from '@mikro-orm/postgresql';

/** A message from a committed transaction to its process; the domain declares the kinds. */
export interface Announcement {
  readonly announces: string;
}

/** Opens the transactions of a process. */
export interface Orm {
  readonly em: EntityManager;
  /** Called after each commit with each announcement of the transaction; must neither throw nor block. */
  readonly onAnnounced?: ((announcement: Announcement) => void) | undefined;
}

/** Actions that run after the commit of one transaction. */
class CommitActions implements EventSubscriber {
  readonly announce: (announcement: Announcement) => void;
  #actions: (() => void)[] = [];

  constructor(announce: (announcement: Announcement) => void = () => undefined) {
    this.announce = announce;
  }

  add(action: () => void): void {
    this.#actions.push(action);
  }

  /** Drops the registered actions, because their writes were rolled back. */
  forget(): void {
    this.#actions = [];
  }

  afterTransactionCommit(): Promise<void> {
    for (const action of this.#actions) action();
    return Promise.resolve();
  }
}

/** MikroORM gives each transaction its own event manager, and so its own actions. */
const commitActionsOf = (em: EntityManager): CommitActions | undefined =>
  [...em.getEventManager().getSubscribers()].find((subscriber) => subscriber instanceof CommitActions);

/** Runs `action` after the transaction of `em` commits, or immediately when there is none. It must not throw. */
export function afterCommit(em: EntityManager, action: () => void): void {
  const actions = commitActionsOf(em);
  if (actions === undefined) action();
  else actions.add(action);
}

/** Calls the process's `onAnnounced` after the transaction of `em` commits. */
export function announce(em: EntityManager, announcement: Announcement): void {
  const actions = commitActionsOf(em);
  actions?.add(() => actions.announce(announcement));
}

/** Drops the actions that `afterCommit` and `announce` registered in this transaction. */
export const forgetCommitActions = (em: EntityManager): void => commitActionsOf(em)?.forget();

/**
 * Runs `work` in one transaction with its own entity manager; entities are flushed before the commit. No entity outlives
 * the transaction. `settings` apply only to this transaction.
 */
export async function inTransaction<Result>(
  { em, onAnnounced }: Orm,
  work: (em: EntityManager) => Promise<Result>,
  settings?: Settings,
): Promise<Result> {
  return em.fork().transactional(
    async (own) => {
      own.getEventManager().registerSubscriber(new CommitActions(onAnnounced));
      return work(own);
    },
    settings === undefined ? {} : { sessionContext: { variables: { ...settings } } },
  );
}

/** Runs `read` in a read-only transaction whose statements all see the database as of the first one. */
export async function inSnapshot<Result>(
  em: EntityManager,
  read: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  return em.fork().transactional(read, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true });
}
