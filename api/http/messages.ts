/**
 * Message texts of the HTTP layer. Customers' code may compare most of them, so changing one breaks callers
 * (docs/decisions.md). See also `domain/messages.ts`.
 */
export const httpMessages = {
  apiKeyHeaderMissing: 'API key not found in headers.',
  authTokenHeaderMissing: 'Auth Token not found in headers.',
  invalidApiKey: 'Invalid API key.',
  workspaceHeaderMissing: 'Workspace ID not found in headers.',
  invalidWorkspace: 'Invalid workspace credentials.',
  operatorHeaderMissing: 'Operator token not found in headers.',
  invalidOperator: 'Invalid operator token.',
  operatorScopeTooSmall: (needed: string, granted: string) =>
    `This operation needs an operator token of scope ${needed}. The scope of this token is ${granted}.`,
  tokenScopeMissing: (scope: string) => `This operation needs an auth token with the scope ${scope}.`,
  originNotAllowed: 'Origin is not allowed.',
  bodyNotJson: 'Request body must be valid JSON.',
  bodyNotEnvelope: 'Request body must be an object with a "data" object.',
  bodyTooLarge: (mebibytes: number) => `Request body must not exceed ${String(mebibytes)} MiB.`,
  bodyNotPlain: 'Request body must be uncompressed JSON.',
  bodiesFull: 'Too many request bodies are being received. Try again in a moment.',
  bodyTooSlow: (seconds: number) => `Request body must arrive within ${String(seconds)} seconds.`,
  bodyCutShort: 'Request ended before its body was complete.',
  requestNotHttp: 'Request must be valid HTTP/1.1.',
  requestTooSlow: 'Request did not arrive in time.',
  hostHeaderMissing: 'Host not found in headers.',
  headersTooLarge: 'Request headers must not exceed 16 KiB.',
  headersTooMany: (count: number) => `Request must not have more than ${String(count)} headers.`,
  chunkExtensionsTooLarge: 'Chunk extensions of the request body must not exceed 16 KiB.',
  expectationNotMet: 'Expect must be 100-continue.',
  connectionsFull: 'Too many connections are open. Try again in a moment.',
  unknownPath: 'Operation does not exist.',
  usePost: 'Use POST.',
  cursorNotValid: (member: string) => `${member} is not valid.`,
  idempotencyKeyOtherBody: 'Idempotency-Key was used with another request.',
  idempotencyKeyRunning: 'A request with this Idempotency-Key is still running.',
  rateLimit: (seconds: number) => `Rate limit exceeded. Try again after ${String(seconds)} second(s).`,
  internal: 'Internal error.',
} as const;
