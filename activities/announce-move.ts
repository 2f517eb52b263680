/** Does nothing. Registered because histories of earlier releases schedule it; see `workflows/migrate-document.ts`. */
export const announceMove = (): Promise<void> => Promise.resolve();
