import { chmod, lchown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { showingProgress, type Show } from './progress.ts';
import { runCommand, tellingLine, type Account } from './run-command.ts';
import { StartFailure } from './start-failure.ts';

/** Owner of everything in the embedded PostgreSQL. */
export const superuser = 'postgres';

export interface Initialization {
  readonly binaries: string;
  /** Whose the cluster becomes, where it is not ours. */
  readonly account: Account | undefined;
  readonly durable: boolean;
  readonly onProgress: Show;
}

/**
 * Makes a cluster of the superuser with this password in the folder `draft`, which does not exist yet. Shows the step that
 * initdb is at where that takes long. Throws a StartFailure.
 */
export async function runInitdb(
  { binaries, account, durable, onProgress }: Initialization,
  draft: string,
  secret: string,
): Promise<void> {
  // PostgreSQL's user reads it, and nobody else.
  const secretFile = `${draft}.password`;
  await writeFile(secretFile, `${secret}\n`, { mode: 0o600 });
  await mkdir(draft, { mode: 0o700 });
  if (account) {
    for (const path of [secretFile, draft]) await lchown(path, account.uid, account.gid);
  }
  try {
    let step = 'starting';
    const argumentList = [
      `--pgdata=${draft}`,
      `--username=${superuser}`,
      `--pwfile=${secretFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--data-checksums',
      ...(durable ? [] : ['--no-sync']),
    ];
    const initdb = await showingProgress(
      onProgress,
      () => `initdb: ${step}`,
      async () =>
        await runCommand(join(binaries, 'bin', 'initdb'), argumentList, {
          account,
          environment: { ...process.env, LC_ALL: 'C' },
          // It names a step as it begins: "syncing data to disk ... ", and "ok" when it is done.
          onLine: (line) => (step = line.endsWith(' ...') ? line.slice(0, -4) : step),
        }),
    );
    if (!initdb.ok) {
      throw new StartFailure(
        `PostgreSQL could not make its data folder ${draft}: ${tellingLine(initdb.output)}.`,
      );
    }
    await chmod(draft, 0o700);
  } finally {
    await rm(secretFile, { force: true });
  }
}
