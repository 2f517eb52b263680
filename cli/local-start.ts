import { join, resolve } from 'node:path';
import { textOf } from '../platform/config/configuration.ts';
import { variables } from '../platform/config/variables.ts';
import { readDemoFile } from '../local/demo-file.ts';
import { readSecrets } from '../local/local-secrets.ts';
import { touching } from '../local/start-failure.ts';

/** What a command knows of the `npm start` whose data folder this environment names. */
export interface LocalStart {
  /** Absolute. */
  readonly dataDirectory: string;
  /** `running` also after a kill of everything: only a connection shows the difference. */
  readonly state: 'none' | 'stopped' | 'running';
  /** Values of variables that the environment leaves unset. */
  readonly values: Readonly<Record<string, string>>;
  /** It took STEWARD_ENCRYPTION_KEYS from its own environment, so those of the data folder are not in use. */
  readonly keysGiven: boolean;
}

/**
 * Reads what `npm start` keeps in its data folder. A database that the environment names itself gets nothing of it,
 * unless it is the same one: secrets of the data folder must not seal the rows of another installation.
 * Throws a StartFailure where the folder cannot be read.
 */
export async function findLocalStart(environment: NodeJS.ProcessEnv): Promise<LocalStart> {
  const dataDirectory = resolve(
    textOf(environment, 'STEWARD_DATA_DIR') ?? variables.STEWARD_DATA_DIR.fallback ?? '',
  );
  return await touching(dataDirectory, async () => {
    const demo = await readDemoFile(join(dataDirectory, 'demo.json'));
    const secrets = await readSecrets(join(dataDirectory, 'secrets.json'));
    const databaseUrl = textOf(environment, 'DATABASE_URL');
    const another = databaseUrl !== undefined && databaseUrl !== demo?.databaseUrl;
    const keysGiven = !another && secrets?.keysGiven === true;
    const found = another
      ? {}
      : {
          DATABASE_URL: demo?.databaseUrl,
          TEMPORAL_ADDRESS: demo?.temporalAddress,
          TEMPORAL_UI_URL: demo?.temporalUiUrl ?? undefined,
          STEWARD_OPERATOR_TOKEN: demo?.operatorToken ?? secrets?.operatorToken,
          STEWARD_ENCRYPTION_KEYS: keysGiven ? undefined : secrets?.encryptionKeys,
        };
    const values = Object.entries(found).flatMap(([name, value]) =>
      value === undefined || textOf(environment, name) !== undefined ? [] : [[name, value] as const],
    );
    const state = demo !== undefined ? 'running' : secrets !== undefined ? 'stopped' : 'none';
    return { dataDirectory, state, values: Object.fromEntries(values), keysGiven };
  });
}
