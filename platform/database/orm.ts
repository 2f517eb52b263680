import type { EntityManager, EventSubscriber } from '@mikro-orm/postgresql';
import type { Settings } from './settings.ts';

export type { EntityManager } from '@mikro-orm/postgresql';

/** What a transaction announces to its process once it has committed; the domain declares the kinds. */
export interface Announcement {
  readonly announces: string;
}

/** Where transactions of a process are opened. */
export interface Orm {
  readonly em: EntityManager;
  /** Called after each commit with what the transaction announced; must neither throw nor take long. */
  readonly onAnnounced?: ((announcement: Announcement) => void) | undefined;
}

/** What waits for the commit of one transaction. */
class CommitActions implements EventSubscriber {
  readonly announce: (announcement: Announcement) => void;
  #actions: (() => void)[] = [];

  constructor(announce: (announcement: Announcement) => void = () => undefined) {
    this.announce = announce;
  }

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

/** Has `onAnnounced` of the process called once the transaction of `em` has committed, and never otherwise. */
export function announce(em: EntityManager, announcement: Announcement): void {
  const actions = commitActionsOf(em);
  actions?.add(() => actions.announce(announcement));
}

/** Forgets what `afterCommit` was told in this transaction. */
export const forgetCommitActions = (em: EntityManager): void => commitActionsOf(em)?.forget();

/**
 * Runs `work` in one transaction with an entity manager of its own; entities are flushed before the commit.
 * Entities live as long as the transaction: nothing is kept from one call to the next. `settings` hold within it alone.
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
