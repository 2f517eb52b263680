/** Message texts of the console's own routes. */
export const consoleMessages = {
  signInRequired: 'Sign in to the console. The session is unknown or has ended.',
  signInData: 'Send workspaceId and authToken, apiKey and authToken, operatorToken, or code.',
  invalidCode: 'Invalid sign-in link. A link works once, for 10 minutes.',
  codeNotLocal: 'A sign-in link works only on the machine of Steward, through a loopback address.',
  otherOrigin: 'The console accepts requests only from its own origin, over HTTPS or on a loopback address.',
  csrfMismatch: 'x-console-csrf does not match the session.',
  keyRequired: 'x-console-key must name an API key by its id, akid_….',
  keyNotOfSession: 'The session has no access to this API key.',
  kindNotOfSession: 'The session has no access to operations of these credentials.',
  cannotActForKeys: 'The operator token may not act for API keys.',
  contentHidden: 'Operators do not see customer content unless STEWARD_OPERATOR_SEES_CONTENT is on.',
  sessionMissing: 'Session does not exist.',
} as const;
