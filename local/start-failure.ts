import { types } from 'node:util';

/** A local server or program could not be started; the message is one line that says what failed and what to do. Exit code 1. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

const remedies = new Map([
  ['ENOSPC', 'the disk is full: free some space'],
  ['EDQUOT', 'the disk quota is used up: free some space'],
  [
    'EACCES',
    'permission denied: give this user the right to it, or choose another folder with STEWARD_DATA_DIR',
  ],
  ['EPERM', 'not permitted: give this user the right to it, or choose another folder with STEWARD_DATA_DIR'],
  ['EROFS', 'the file system is read-only: choose another folder with STEWARD_DATA_DIR'],
  ['ENOTDIR', 'a part of the path is no folder: choose another folder with STEWARD_DATA_DIR'],
  ['ENOENT', 'nothing can be made there: choose another folder with STEWARD_DATA_DIR'],
  ['EEXIST', 'a file is in the way: remove it, or choose another folder with STEWARD_DATA_DIR'],
]);

/** Runs what touches files, and turns the system's refusals into a StartFailure that names `path` and a way out. */
export async function touching<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const remedy = remedies.get(codeOf(error));
    if (remedy === undefined) throw error;
    throw new StartFailure(`${path} cannot be used: ${remedy}.`, { cause: error });
  }
}

/** The system's name of a failure (`ENOENT`), or an empty text. */
export function codeOf(error: unknown): string {
  return types.isNativeError(error) && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return types.isNativeError(error) ? error.message : String(error);
}
