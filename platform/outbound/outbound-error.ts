/** Why a request did not bring an answer; the text is safe to show and names neither address nor headers. */
export type OutboundFailure =
  | 'url-refused'
  | 'https-required'
  | 'address-refused'
  | 'not-resolved'
  | 'request-refused'
  | 'connection-failed'
  | 'timed-out'
  | 'cancelled';

const texts: Readonly<Record<OutboundFailure, string>> = {
  'url-refused': 'The URL is not an http(s) URL with a proper host and without user, password and fragment.',
  'https-required': 'The URL is not an https URL, and only those may be called here.',
  'address-refused': 'The host has a private or reserved address, which may not be called.',
  'not-resolved': 'The host name could not be resolved.',
  'request-refused': 'The request cannot be written: a header holds characters that HTTP does not know.',
  'connection-failed': 'The connection failed.',
  'timed-out': 'There was no complete answer in time.',
  cancelled: 'The request was given up.',
};

/** A request to somebody else's server that brought no answer. */
export class OutboundError extends Error {
  readonly reason: OutboundFailure;

  constructor(reason: OutboundFailure, cause?: unknown) {
    super(texts[reason], cause === undefined ? {} : { cause });
    this.name = 'OutboundError';
    this.reason = reason;
  }
}
