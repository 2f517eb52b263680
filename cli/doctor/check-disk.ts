import { statfs } from 'node:fs/promises';
import { fullDiskHint } from '../../local/disk-space.ts';
import type { LocalStart } from '../local-start.ts';
import { finding, type Finding } from './finding.ts';

const gibibyte = 1_024 ** 3;

/** Checks the disk of the data folder of `npm start`. */
export async function checkDisk({ dataDirectory, state }: LocalStart): Promise<readonly Finding[]> {
  if (state === 'none') return [finding('disk', 'ok', 'No npm start keeps data on this machine.')];
  const full = await fullDiskHint(dataDirectory);
  if (full !== undefined) return [finding('disk', 'serious', full)];
  const { bavail, bsize } = await statfs(dataDirectory);
  return [spaceFinding(bavail * bsize)];
}

export function spaceFinding(freeBytes: number): Finding {
  const free = `${(freeBytes / gibibyte).toFixed(1)} GiB`;
  return freeBytes < gibibyte
    ? finding('disk', 'warning', `The disk of the data folder has only ${free} left: free some space.`)
    : finding('disk', 'ok', `The disk of the data folder has ${free} left.`);
}
