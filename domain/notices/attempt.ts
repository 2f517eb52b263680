/** One stored attempt to send a delivery. Contains no text from a provider. */
export interface StoredAttempt {
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly outcome: 'accepted' | 'refused' | 'unknown' | 'failed';
  /** The SMTP enhanced status or reply, the HTTP status, Slack's error, or `unprepared` where the message could not be read. */
  readonly code: string | null;
  readonly durationMs: number;
}
