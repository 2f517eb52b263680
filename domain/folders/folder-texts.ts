/** Wire messages about folders only. `domain/messages.ts` holds those that other resources share. */
export const folderTexts = {
  exists: 'Folder already exists.',
  parentMissing: 'Parent folder does not exist.',
  tooDeep: 'A folder may be nested 64 levels deep.',
  intoItself: 'A folder cannot be moved into itself.',
  /** For deletions; other operations use `messages.folderMissing`. */
  notFound: 'Folder not found.',
} as const;
