import type { Announcement } from '../../platform/database/orm.ts';

/** Events of an API key were recorded and committed. */
export class EventsRecorded implements Announcement {
  readonly announces = 'events recorded';
  /** Public id. */
  readonly keyId: string;
  /**
   * On this process's clock (`performance.now()`): a dispatcher reads the key's outbox again before this time, so events
   * committed earlier need no wake-up. The sweep covers a crashed dispatcher.
   */
  readonly drainingUntil: number;

  constructor(keyId: string, drainingUntil: number) {
    this.keyId = keyId;
    this.drainingUntil = drainingUntil;
  }
}

/** Handles announcements: calls `wake` with the key's public id when no dispatcher has promised to read its events. */
export const whenUndrained =
  (wake: (keyId: string) => void) =>
  (announcement: Announcement): void => {
    if (announcement instanceof EventsRecorded && announcement.drainingUntil < performance.now())
      wake(announcement.keyId);
  };
