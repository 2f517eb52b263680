import { codeOf } from '../platform/process/error-code.ts';

/** A local server or program could not start; the message names the failure and the remedy in one line. Exit code 1. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

const remedies = new Map([
  ['ENOSPC', 'the disk is full: free some space'],
  ['EDQUOT', 'the disk quota is used up: free some space'],
  ['EACCES', 'permission denied: give this user access, or choose another folder with STEWARD_DATA_DIR'],
  ['EPERM', 'not permitted: give this user access, or choose another folder with STEWARD_DATA_DIR'],
  ['EROFS', 'the file system is read-only: choose another folder with STEWARD_DATA_DIR'],
  ['ENOTDIR', 'a part of the path is not a folder: choose another folder with STEWARD_DATA_DIR'],
  ['ENOENT', 'nothing can be created there: choose another folder with STEWARD_DATA_DIR'],
  ['EEXIST', 'a file is in the way: remove it, or choose another folder with STEWARD_DATA_DIR'],
]);

/** Runs file operations, and converts system errors to a StartFailure with `path` and a remedy. */
export async function touching<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const remedy = remedies.get(codeOf(error));
    if (remedy === undefined) throw error;
    throw new StartFailure(`${path} cannot be used: ${remedy}.`, { cause: error });
  }
}
