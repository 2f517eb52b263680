/** Texts that the wire fixes for users and groups of them. */
export const userTexts = {
  missing: 'User does not exist.',
  groupMissing: 'Organization user group does not exist.',
} as const;
