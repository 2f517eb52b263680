import { readFileSync } from 'node:fs';

/** Max files kept free for connections to PostgreSQL, Temporal, other servers and of metrics, and for files. */
const maxReserved = 256;

/** The max number of files and sockets that this process may open; undefined where it is unknown or unlimited. */
export function maxOpenFiles(): number | undefined {
  const label = 'Max open files';
  try {
    const lines = readFileSync('/proc/self/limits', 'utf8').split('\n');
    const [soft = ''] = (lines.find((line) => line.startsWith(label)) ?? '')
      .slice(label.length)
      .trim()
      .split(' ');
    const files = Number(soft);
    return Number.isInteger(files) && files > 0 ? files : undefined;
  } catch {
    return undefined;
  }
}

/** The number of connections that `files` allow: beyond them the kernel would refuse new ones, and none is replaced. */
export const connectionsWithin = (connections: number, files: number | undefined): number =>
  files === undefined
    ? connections
    : Math.min(connections, files - Math.min(maxReserved, Math.ceil(files / 2)));
