import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Runs the restore drill with `size` open jobs and `size` endpoints, and writes its figures to `restore.json`.
 * Returns the number of violations. Throws when the drill did not end.
 */
export async function soakRestore(size: number, folder: string): Promise<number> {
  await mkdir(folder, { recursive: true });
  const report = join(folder, 'restore.json');
  const drill = spawn(process.execPath, ['test/run.ts', 'test/workflows/restore.long'], {
    env: {
      ...process.env,
      STEWARD_LONG_TESTS: 'on',
      STEWARD_DRILL_SIZE: String(size),
      STEWARD_DRILL_REPORT: report,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await once(drill, 'close');
  const { violations } = JSON.parse(await readFile(report, 'utf8')) as { readonly violations: unknown[] };
  process.stdout.write(`${report}\n`);
  return Math.max(violations.length, drill.exitCode ?? 1);
}
