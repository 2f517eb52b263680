import type { EntityManager, Orm } from '../../platform/database/orm.ts';

/** Events of a key were recorded, and have been committed. */
export interface RecordedEvents {
  /** Public id. */
  readonly keyId: string;
  /**
   * On this process' clock (`performance.now()`): until then a dispatcher has promised to look at the key's outbox once
   * more, so what was committed before needs no one to be woken. Should that dispatcher die, the sweep makes up for it.
   */
  readonly drainingUntil: number;
}

type Listener = (recorded: RecordedEvents) => void;

/** By database: one of a process, opened by the one that listens. */
const listeners = new WeakMap<object, Listener>();

/** Has `listener` called after each commit that recorded events through `orm`; it must neither throw nor take long. */
export function whenRecorded(orm: Orm, listener: Listener): void {
  listeners.set(orm.em.getDriver(), listener);
}

export function tellRecorded(em: EntityManager, recorded: RecordedEvents): void {
  listeners.get(em.getDriver())?.(recorded);
}
