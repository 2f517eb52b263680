/*
 * A simple, slow model of planning and sending: lists instead of rows, one notice after another. The property test compares it with PostgreSQL.
 */

export type Level = 'ALL' | 'MINE' | 'NONE';

export interface ModelWindow {
  readonly isEnabled: boolean;
  readonly seconds: number;
  readonly maxActivities: number;
}

export interface ModelSettings {
  readonly delaySeconds: number;
  readonly document: ModelWindow;
  readonly user: ModelWindow;
}

interface Preference {
  readonly user: string;
  /** Undefined for preferences of the organization. */
  readonly document: string | undefined;
  readonly email: Level;
  readonly inbox: Level;
}

interface ModelNotification {
  /** Distinguishes it from an earlier, deleted notification with the same id. */
  readonly key: string;
  document: string;
  headline: string;
  /** The number of the call that wrote the recipients. */
  call: number;
  inInbox: Set<string>;
  readBy: Set<string>;
  isDeleted: boolean;
}

interface ModelNotice {
  readonly nth: number;
  readonly notification: ModelNotification;
  readonly user: string;
  document: string;
  dueAt: number;
  isNamed: boolean;
  call: number;
  wasInInbox: boolean;
  isBatching: boolean;
}

interface OpenWindow {
  readonly user: string;
  /** Undefined for the user window. */
  readonly document: string | undefined;
  readonly closesAt: number;
}

/** A delivery: `sent`, or `skipped` with the reason; its notifications and their headlines, in alphabetical order. */
export interface ModelDelivery {
  readonly user: string;
  readonly outcome: string;
  readonly notifications: readonly string[];
  readonly headlines: readonly string[];
}

/** The members of the documents, who all count as members of each. */
export class DeliveryModel {
  readonly deliveries: ModelDelivery[] = [];
  readonly #settings: ModelSettings;
  readonly #members: readonly string[];
  readonly #notifications = new Map<string, ModelNotification>();
  readonly #preferences: Preference[] = [];
  #notices: ModelNotice[] = [];
  #windows: OpenWindow[] = [];
  #serviceOn = true;
  #channelOn = true;
  #calls = 0;

  constructor(settings: ModelSettings, members: readonly string[]) {
    this.#settings = settings;
    this.#members = members;
  }

  /**
   * Adds a notification, or overwrites it, also from another document. Without `named`, notifies the members except the
   * actor. Returns the notification's key.
   */
  notify(
    now: number,
    sent: {
      id: string;
      document: string;
      headline: string;
      actor: string;
      named?: readonly string[] | undefined;
    },
  ): string {
    this.#calls += 1;
    const notification = this.#notifications.get(sent.id) ?? {
      key: `${sent.id}#${String(this.#calls)}`,
      document: sent.document,
      headline: '',
      call: 0,
      inInbox: new Set(),
      readBy: new Set(),
      isDeleted: false,
    };
    this.#notifications.set(sent.id, notification);
    const users = sent.named ?? this.#members.filter((user) => user !== sent.actor);
    const isNamed = sent.named !== undefined;
    const { document } = sent;
    notification.document = document;
    notification.headline = sent.headline;
    notification.call = this.#calls;
    notification.readBy = new Set();
    notification.inInbox = new Set(
      users.filter((user) => accepts(this.#levels(user, sent.document).inbox, isNamed)),
    );
    if (!this.#serviceOn || !this.#channelOn) return notification.key;
    for (const user of users) {
      if (!accepts(this.#levels(user, sent.document).email, isNamed)) continue;
      const wasInInbox = notification.inInbox.has(user);
      const waiting = this.#notices.find((one) => one.notification === notification && one.user === user);
      const changes = { isNamed, document, call: this.#calls, wasInInbox };
      const dueAt = now + this.#settings.delaySeconds * 1_000;
      if (waiting !== undefined) {
        // The windows of the former document close without it.
        const leavesWindows = waiting.isBatching && waiting.document !== document;
        Object.assign(waiting, changes, leavesWindows && { isBatching: false, dueAt });
        continue;
      }
      const nth = this.#notices.length === 0 ? 0 : Math.max(...this.#notices.map((one) => one.nth)) + 1;
      this.#notices.push({ nth, notification, user, dueAt, isBatching: false, ...changes });
    }
    return notification.key;
  }

  /** Changes the headline, which makes the notification unread. */
  retitle(id: string, headline: string): void {
    const notification = this.#notifications.get(id);
    if (notification === undefined) return;
    notification.headline = headline;
    notification.readBy.clear();
  }

  prefer(preference: Preference): void {
    this.#preferences.push(preference);
  }

  read(id: string, user: string): void {
    const notification = this.#notifications.get(id);
    if (notification?.inInbox.has(user) === true) notification.readBy.add(user);
  }

  delete(id: string): void {
    const notification = this.#notifications.get(id);
    if (notification === undefined) return;
    notification.isDeleted = true;
    this.#notifications.delete(id);
  }

  switch(serviceOn: boolean, channelOn: boolean): void {
    this.#serviceOn = serviceOn;
    this.#channelOn = channelOn;
  }

  /** Runs a turn of the sender. */
  turn(now: number): void {
    const due = this.#notices
      .filter((notice) => !notice.isBatching && notice.dueAt <= now)
      .toSorted((one, other) => one.dueAt - other.dueAt || one.nth - other.nth);
    for (const notice of due) if (this.#keep(notice)) this.#join(now, notice);
    const closing = this.#windows
      .filter(({ closesAt }) => closesAt <= now)
      .toSorted(
        (one, other) =>
          one.closesAt - other.closesAt ||
          Number(one.document !== undefined) - Number(other.document !== undefined),
      );
    for (const window of closing) this.#close(window);
  }

  #levels(user: string, document: string): { email: Level; inbox: Level } {
    const last = (of: string | undefined) =>
      this.#preferences.findLast((one) => one.user === user && one.document === of);
    const { email = 'MINE', inbox = 'ALL' } = last(document) ?? last(undefined) ?? {};
    return { email, inbox };
  }

  /** Applies the rules of sending, and ends a notice that fails one. */
  #keep(notice: ModelNotice): boolean {
    const { notification, user, document, isNamed, call, wasInInbox } = notice;
    const { email } = this.#levels(user, document);
    const exists =
      !notification.isDeleted &&
      notification.document === document &&
      (wasInInbox ? notification.inInbox.has(user) : notification.call === call);
    const reason = !exists
      ? 'notification-gone'
      : !this.#serviceOn
        ? 'service-off'
        : !this.#channelOn
          ? 'channel-off'
          : email === 'NONE'
            ? 'preference-none'
            : email === 'MINE' && !isNamed
              ? 'preference-mine'
              : notification.readBy.has(user)
                ? 'seen'
                : undefined;
    if (reason === undefined) return true;
    this.#deliver(`skipped ${reason}`, [notice]);
    return false;
  }

  #join(now: number, notice: ModelNotice): void {
    const { document, user } = this.#settings;
    if (!document.isEnabled && !user.isEnabled) {
      this.#deliver('sent', [notice]);
      return;
    }
    notice.isBatching = true;
    if (document.isEnabled) this.#open(now, notice.user, notice.document, document.seconds);
    if (user.isEnabled) this.#open(now, notice.user, undefined, user.seconds);
    for (const [window, of] of [
      [document, notice.document],
      [user, undefined],
    ] as const) {
      if (!window.isEnabled || !notice.isBatching) continue;
      const inWindow = this.#in({ user: notice.user, document: of });
      if (inWindow.length >= window.maxActivities) this.#close({ user: notice.user, document: of });
    }
  }

  #open(now: number, user: string, document: string | undefined, seconds: number): void {
    const isOpen = this.#windows.some((one) => one.user === user && one.document === document);
    if (!isOpen) this.#windows.push({ user, document, closesAt: now + seconds * 1_000 });
  }

  #in({ user, document }: Pick<OpenWindow, 'user' | 'document'>): ModelNotice[] {
    return this.#notices.filter(
      (one) => one.isBatching && one.user === user && (document === undefined || one.document === document),
    );
  }

  #close(window: Pick<OpenWindow, 'user' | 'document'>): void {
    const kept = this.#in(window).filter((notice) => this.#keep(notice));
    if (kept.length > 0) this.#deliver('sent', kept);
    this.#windows = this.#windows.filter(
      (one) => one.user !== window.user || one.document !== window.document,
    );
  }

  #deliver(outcome: string, notices: readonly ModelNotice[]): void {
    for (const notice of notices) notice.isBatching = false;
    this.#notices = this.#notices.filter((one) => !notices.includes(one));
    this.deliveries.push({
      user: notices[0]?.user ?? '',
      outcome,
      notifications: notices.map(({ notification }) => notification.key).toSorted(),
      headlines: notices.map(({ notification }) => notification.headline).toSorted(),
    });
  }
}

const accepts = (level: Level, isNamed: boolean): boolean => level === 'ALL' || (level === 'MINE' && isNamed);
