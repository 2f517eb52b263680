import { errorMessage } from '../platform/process/error-message.ts';
import { readConfiguration } from '../platform/config/read-configuration.ts';
import { isDemoCredentials } from '../local/local-secrets.ts';
import type { DemoCredentials } from '../local/local-secrets.ts';
import { addSignInCode } from '../domain/console/sign-in-codes.ts';
import { refusal } from './commands/migrate.ts';
import { withDatabase } from './database.ts';
import { ensureDemoWorkspace } from './demo-workspace.ts';
import { showMigrations } from './show-migrations.ts';

/** The credentials of the demo workspace, and the code of a sign-in link to it unless the console is off. */
export interface PreparedStart extends DemoCredentials {
  readonly signInCode?: string;
}

/**
 * A child process of `npm start`: receives the stored demo credentials, migrates the database, and sends back the demo
 * workspace's credentials or an error message. A separate program keeps the ORM out of the supervisor's memory.
 */
process.once('disconnect', () => process.exit(1));
process.once('message', (previous: unknown) => {
  void prepare(previous)
    .catch(errorMessage)
    .then((response) => process.send?.(response, () => process.exit(0)));
});

async function prepare(previous: unknown): Promise<PreparedStart> {
  const {
    databaseUrl,
    encryptionKeys,
    auditRetentionDays,
    console: pages,
  } = readConfiguration(process.env, 'worker');
  const show = (line: string): void => console.error(line);
  const { refusedSettings } = await showMigrations(databaseUrl, { auditRetentionDays }, show);
  if (refusedSettings !== undefined) show(refusal(refusedSettings));
  const demo = await ensureDemoWorkspace({
    databaseUrl,
    encryptionKeys,
    previous: isDemoCredentials(previous) ? previous : undefined,
  });
  if (!pages.enabled) return demo;
  const signInCode = await withDatabase(databaseUrl, async ({ em }) =>
    addSignInCode(em.fork(), demo.workspaceId),
  );
  return { ...demo, signInCode };
}
