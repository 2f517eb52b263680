/** A sender as a reader sees it. */
export interface Mailbox {
  /** Empty when there is no display name. */
  readonly name: string;
  /** ASCII, except for a local part that needs SMTPUTF8. */
  readonly address: string;
}

/** A message to one recipient. Its values hold no line breaks, except for `text` and `html`. */
export interface Email {
  /** With angle brackets; the same for every attempt. */
  readonly messageId: string;
  readonly from: Mailbox;
  readonly to: string;
  /** Empty when there is none. */
  readonly replyTo: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Additional headers by name. */
  readonly headers: Readonly<Record<string, string>>;
}
