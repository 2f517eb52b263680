import { join, resolve } from 'node:path';
import { codeOf } from '../platform/process/error-code.ts';
import { withPassword } from '../platform/config/read-configuration.ts';
import { textOf } from '../platform/config/read-variable.ts';
import { variables } from '../platform/config/variables.ts';
import { readDemoFile } from '../local/demo-file.ts';
import { readSecrets } from '../local/local-secrets.ts';
import { StartFailure, touching } from '../local/start-failure.ts';

/** The `npm start` of the environment's data folder. */
export interface LocalStart {
  /** Absolute. */
  readonly dataDirectory: string;
  /** `running` even after everything was killed: only a connection attempt shows the difference. */
  readonly state: 'none' | 'stopped' | 'running';
  /** Values for variables that the environment does not set. */
  readonly values: Readonly<Record<string, string>>;
  /** It used STEWARD_ENCRYPTION_KEYS of its own environment instead of the data folder's keys. */
  readonly keysGiven: boolean;
}

/**
 * Reads the data folder of `npm start`. Returns no values when the environment sets another database: the data folder's
 * keys must not encrypt the rows of another installation. Throws a StartFailure when the folder is unreadable. A folder of
 * another user counts as none where the environment names the database, or an API and its caller.
 */
export async function findLocalStart(environment: NodeJS.ProcessEnv): Promise<LocalStart> {
  const dataDirectory = resolve(
    textOf(environment, 'STEWARD_DATA_DIR') ?? variables.STEWARD_DATA_DIR.fallback ?? '',
  );
  try {
    return await readLocalStart(environment, dataDirectory);
  } catch (error) {
    if (!isDenied(error) || !needsNone(environment)) throw error;
    return { dataDirectory, state: 'none', values: {}, keysGiven: false };
  }
}

const isDenied = (error: unknown): boolean =>
  error instanceof StartFailure && ['EACCES', 'EPERM'].includes(codeOf(error.cause));

/** Members of the credentials of each kind of caller. */
const callerVariables = ['STEWARD_OPERATOR_TOKEN', 'STEWARD_API_KEY', 'STEWARD_WORKSPACE_ID'];

const needsNone = (environment: NodeJS.ProcessEnv): boolean =>
  isSet(environment, 'DATABASE_URL') ||
  (isSet(environment, 'STEWARD_API_URL') && callerVariables.some((name) => isSet(environment, name)));

async function readLocalStart(environment: NodeJS.ProcessEnv, dataDirectory: string): Promise<LocalStart> {
  return await touching(dataDirectory, async () => {
    const demo = await readDemoFile(join(dataDirectory, 'demo.json'));
    const secrets = await readSecrets(join(dataDirectory, 'secrets.json'));
    const databaseUrl = withPassword(
      textOf(environment, 'DATABASE_URL'),
      textOf(environment, 'DATABASE_PASSWORD'),
    );
    const another = databaseUrl !== undefined && databaseUrl !== demo?.databaseUrl;
    const keysGiven = !another && secrets?.keysGiven === true;
    const apiUrl = textOf(environment, 'STEWARD_API_URL');
    // Local credentials must not be sent to another API.
    const anotherApi = apiUrl !== undefined && addressOf(apiUrl) !== addressOf(demo?.baseUrl ?? '');
    const caller = anotherApi ? undefined : demo;
    const found: Readonly<Record<string, string | undefined>> = another
      ? {}
      : {
          DATABASE_URL: demo?.databaseUrl,
          TEMPORAL_ADDRESS: demo?.temporalAddress,
          TEMPORAL_UI_URL: demo?.temporalUiUrl ?? undefined,
          STEWARD_DELETION_JOURNAL:
            secrets === undefined ? undefined : join(dataDirectory, 'deletion-journal'),
          STEWARD_API_URL: demo?.baseUrl,
          STEWARD_API_KEY: caller?.apiKey,
          STEWARD_AUTH_TOKEN: caller?.authToken,
          STEWARD_WORKSPACE_ID: caller?.workspaceId,
          STEWARD_WORKSPACE_AUTH_TOKEN: caller?.workspaceAuthToken,
          STEWARD_OPERATOR_TOKEN: anotherApi ? undefined : (demo?.operatorToken ?? secrets?.operatorToken),
          STEWARD_ENCRYPTION_KEYS: keysGiven ? undefined : secrets?.encryptionKeys,
          ...demo?.settings,
        };
    const values = Object.entries(found).flatMap(([name, value]) =>
      value === undefined || isSet(environment, name) ? [] : [[name, value] as const],
    );
    const state = demo !== undefined ? 'running' : secrets !== undefined ? 'stopped' : 'none';
    return { dataDirectory, state, values: Object.fromEntries(values), keysGiven };
  });
}

/** Whether the variable, or the one that names a file with its value, is set. The file may be unreadable. */
const isSet = (environment: NodeJS.ProcessEnv, name: string): boolean =>
  textOf(environment, name) !== undefined || textOf(environment, `${name}_FILE`) !== undefined;

/** The same for all spellings of a URL: a slash at its end, capitals, and `localhost` for 127.0.0.1. */
function addressOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url;
  if (parsed.hostname === 'localhost') parsed.hostname = '127.0.0.1';
  return parsed.href;
}
