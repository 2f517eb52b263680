import { lstat } from 'node:fs/promises';

/** Whether a path exists. A link does, also without its target. */
export const exists = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
