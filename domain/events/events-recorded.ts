import type { Announcement } from '../../platform/database/orm.ts';

/** Events of a key were recorded, and have been committed. */
export class EventsRecorded implements Announcement {
  readonly announces = 'events recorded';
  /** Public id. */
  readonly keyId: string;
  /**
   * On this process' clock (`performance.now()`): until then a dispatcher has promised to look at the key's outbox once
   * more, so what was committed before needs no one to be woken. Should that dispatcher die, the sweep makes up for it.
   */
  readonly drainingUntil: number;

  constructor(keyId: string, drainingUntil: number) {
    this.keyId = keyId;
    this.drainingUntil = drainingUntil;
  }
}
