/** Wire messages about users and user groups. */
export const userTexts = {
  missing: 'User does not exist.',
  groupMissing: 'Organization user group does not exist.',
} as const;
