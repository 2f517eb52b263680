/** A sender as a reader sees it. */
export interface Mailbox {
  /** Empty without a display name. */
  readonly name: string;
  /** ASCII, except for a local part that needs SMTPUTF8. */
  readonly address: string;
}

/** A message to one recipient. Its values hold no line breaks, except for `text` and `html`. */
export interface Email {
  /** With its angle brackets. The same on every attempt. */
  readonly messageId: string;
  readonly from: Mailbox;
  readonly to: string;
  /** Empty without one. */
  readonly replyTo: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Further headers by name. */
  readonly headers: Readonly<Record<string, string>>;
}
