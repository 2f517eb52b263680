import { chmod, lchown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { showingProgress, type Show } from './progress.ts';
import { runCommand, errorLine, type Account } from './run-command.ts';
import { StartFailure } from './start-failure.ts';

/** Owner of everything in the embedded PostgreSQL. */
export const superuser = 'postgres';

export interface Initialization {
  readonly binaries: string;
  /** The owner of the cluster, unless it is the current user. */
  readonly account: Account | undefined;
  readonly durable: boolean;
  readonly onProgress: Show;
}

/**
 * Creates a cluster in the new folder `draft`; `secret` is the superuser's password. Shows initdb's step after 3 s. Throws
 * a StartFailure.
 */
export async function runInitdb(
  { binaries, account, durable, onProgress }: Initialization,
  draft: string,
  secret: string,
): Promise<void> {
  // Only PostgreSQL's user can read it.
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
          // initdb prints a step when it starts, "syncing data to disk ... ", and "ok" when it ends.
          onLine: (line) => (step = line.endsWith(' ...') ? line.slice(0, -4) : step),
        }),
    );
    if (!initdb.ok) {
      throw new StartFailure(
        `PostgreSQL could not create its data folder ${draft}: ${errorLine(initdb.output)}. ` +
          'Remove the cause and start again, or set DATABASE_URL.',
      );
    }
    await chmod(draft, 0o700);
  } finally {
    await rm(secretFile, { force: true });
  }
}
