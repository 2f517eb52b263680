/** Why a request got no response. Safe to show: the text contains neither address nor headers. */
export type OutboundFailure =
  | 'url-refused'
  | 'https-required'
  | 'address-refused'
  | 'not-resolved'
  | 'request-refused'
  | 'connection-failed'
  | 'timed-out'
  | 'cancelled'
  | 'no-room'
  | 'paused';

const texts: Readonly<Record<OutboundFailure, string>> = {
  'url-refused': 'The URL must be an http(s) URL with a valid host and without user, password and fragment.',
  'https-required': 'The URL must be an https URL.',
  'address-refused': 'The host has a private or reserved address.',
  'not-resolved': 'The host name could not be resolved.',
  'request-refused': 'A header contains characters that HTTP does not allow.',
  'connection-failed': 'The connection failed.',
  'timed-out': 'The request timed out.',
  cancelled: 'The request was canceled.',
  'no-room': 'Not enough memory for the response.',
  paused: 'Calls to other servers are paused.',
};

/** A request to a customer's server that got no response. */
export class OutboundError extends Error {
  readonly reason: OutboundFailure;

  constructor(reason: OutboundFailure, cause?: unknown) {
    super(texts[reason], cause === undefined ? {} : { cause });
    this.name = 'OutboundError';
    this.reason = reason;
  }
}
