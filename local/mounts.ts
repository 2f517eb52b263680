import { readIfThere } from './files.ts';

/** The mounts of this process as Linux lists them; an empty text on other systems. */
export async function mountTable(): Promise<string> {
  return (await readIfThere('/proc/self/mountinfo').catch(() => undefined)) ?? '';
}

/**
 * The mount point that holds `path`, which is absolute and without symbolic links, by the text of
 * /proc/self/mountinfo. A device number would not do: a bind mount shares that of its source.
 */
export function mountPointOf(path: string, table: string): string {
  const points = table.split('\n').map((line) => unescaped(line.split(' ')[4] ?? ''));
  // The last one: a later mount hides what was mounted below its point before.
  return points.findLast((point) => point !== '' && isWithin(path, point)) ?? '/';
}

/**
 * Whether what lies in `folder` is kept by a mount of its own: a volume of a container, a disk. What lies elsewhere, in
 * `usual`, is then removed with the container or left on another disk.
 */
export function isKeptByMount(folder: string, usual: string, table: string): boolean {
  const point = mountPointOf(folder, table);
  if (point === '/') return false;
  return point === folder || point !== mountPointOf(usual, table);
}

/** Whether a path is the folder or lies below it; both absolute. */
export function isWithin(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}

/** Spaces, tabs, line ends and backslashes stand there as `\040`. */
function unescaped(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
