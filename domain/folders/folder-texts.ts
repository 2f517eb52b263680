/** Texts about folders that the wire fixes; those that other resources share are in `domain/messages.ts`. */
export const folderTexts = {
  exists: 'Folder already exists.',
  parentMissing: 'Parent folder does not exist.',
  tooDeep: 'A folder may be nested 64 levels deep.',
  intoItself: 'A folder cannot be moved into itself.',
  /** Of a deletion; everywhere else the text is `messages.folderMissing`. */
  notFound: 'Folder not found.',
} as const;
