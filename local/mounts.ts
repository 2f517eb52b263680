import { readIfThere } from './files.ts';

/** The content of /proc/self/mountinfo; empty on other systems than Linux. */
export async function mountTable(): Promise<string> {
  return (await readIfThere('/proc/self/mountinfo').catch(() => undefined)) ?? '';
}

/**
 * The mount point of `path`, which must be absolute and without symbolic links. `table` is the text of
 * /proc/self/mountinfo: device numbers do not distinguish a bind mount from its source.
 */
export function mountPointOf(path: string, table: string): string {
  const points = table.split('\n').map((line) => unescaped(line.split(' ')[4] ?? ''));
  // The last match: a later mount hides earlier ones below its mount point.
  return points.findLast((point) => point !== '' && isWithin(path, point)) ?? '/';
}

/**
 * Whether a mount of its own (a container's volume, a disk) holds `folder`. Data in `usual` is then lost with the
 * container or stays on another disk.
 */
export function isKeptByMount(folder: string, usual: string, table: string): boolean {
  const point = mountPointOf(folder, table);
  if (point === '/') return false;
  return point === folder || point !== mountPointOf(usual, table);
}

/** Whether a path is the folder or below it; both absolute. */
export function isWithin(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}

/** mountinfo escapes spaces, tabs, newlines and backslashes as octal: `\040`. */
function unescaped(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
