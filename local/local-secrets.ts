import { textOf } from '../platform/config/read-variable.ts';
import { newEncryptionKey, newSecret } from '../platform/config/generate-environment.ts';
import { readIfThere, writeWhole } from './files.ts';
import { StartFailure, touching } from './start-failure.ts';

/** Secrets that the first embedded start generates and stores. */
export interface LocalSecrets {
  readonly operatorToken: string;
  /** In the format of STEWARD_ENCRYPTION_KEYS. */
  readonly encryptionKeys: string;
  /** Credentials of the demo workspace in the embedded database; absent until the first start completes. */
  readonly demo?: DemoCredentials;
  /** Credentials of the demo workspace in the last database that DATABASE_URL named. */
  readonly externalDemo?: DemoCredentials;
  /** Set when the last start used STEWARD_ENCRYPTION_KEYS of its environment instead of `encryptionKeys`. */
  readonly keysGiven?: true;
}

/** Credentials of the demo workspace in plain text, as in `demo.json`. */
export interface DemoCredentials {
  readonly workspaceId: string;
  readonly workspaceAuthToken: string;
  readonly apiKey: string;
  readonly authToken: string;
}

/** The secrets of the file, generated and stored when missing. Given secrets take precedence. */
export async function localSecrets(file: string, given: Partial<LocalSecrets>): Promise<LocalSecrets> {
  return await touching(file, async () => {
    const kept = await readSecrets(file);
    const { keysGiven, ...made } = kept ?? { operatorToken: newSecret(), encryptionKeys: newEncryptionKey() };
    const secrets: LocalSecrets = given.encryptionKeys === undefined ? made : { ...made, keysGiven: true };
    if (!kept || keysGiven !== secrets.keysGiven) await keepSecrets(file, secrets);
    return { ...secrets, ...given };
  });
}

/** Stores the demo workspace of a database, so that every start shows the same credentials. */
export async function rememberDemo(file: string, name: DemoName, demo: DemoCredentials): Promise<void> {
  const kept = await readSecrets(file);
  if (kept) await touching(file, async () => await keepSecrets(file, { ...kept, [name]: demo }));
}

export type DemoName = 'demo' | 'externalDemo';

async function keepSecrets(file: string, secrets: LocalSecrets): Promise<void> {
  await writeWhole(file, `${JSON.stringify(secrets, null, 2)}\n`);
}

/** The secrets of the file, or undefined when it is missing. Throws a StartFailure when it is damaged. */
export async function readSecrets(file: string): Promise<LocalSecrets | undefined> {
  const text = await readIfThere(file);
  if (text === undefined) return undefined;
  try {
    const content: unknown = JSON.parse(text);
    const [operatorToken, encryptionKeys] = [
      textIn(content, 'operatorToken'),
      textIn(content, 'encryptionKeys'),
    ];
    if (operatorToken !== undefined && encryptionKeys !== undefined) {
      const [demo, externalDemo] = [demoIn(content, 'demo'), demoIn(content, 'externalDemo')];
      const keysGiven = Reflect.get(Object(content), 'keysGiven') === true;
      return {
        operatorToken,
        encryptionKeys,
        ...(demo && { demo }),
        ...(externalDemo && { externalDemo }),
        ...(keysGiven && { keysGiven }),
      };
    }
  } catch {
    // Throws below: new secrets would make the existing data unreadable.
  }
  throw new StartFailure(
    `${file} is damaged: restore it, or remove the data folder to start with empty data.`,
  );
}

function demoIn(content: unknown, name: DemoName): DemoCredentials | undefined {
  const demo: unknown =
    typeof content === 'object' && content !== null ? Reflect.get(content, name) : undefined;
  return isDemoCredentials(demo) ? demo : undefined;
}

/** Whether an untrusted value is a set of demo credentials. */
export function isDemoCredentials(value: unknown): value is DemoCredentials {
  const names = ['workspaceId', 'workspaceAuthToken', 'apiKey', 'authToken'];
  return names.every((name) => textIn(value, name) !== undefined);
}

function textIn(value: unknown, name: string): string | undefined {
  const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof text === 'string' ? text : undefined;
}

/** The secrets that the environment sets. */
export function givenSecrets(environment: NodeJS.ProcessEnv): Partial<LocalSecrets> {
  const operatorToken = textOf(environment, 'STEWARD_OPERATOR_TOKEN');
  const encryptionKeys = textOf(environment, 'STEWARD_ENCRYPTION_KEYS');
  return {
    ...(operatorToken !== undefined && { operatorToken }),
    ...(encryptionKeys !== undefined && { encryptionKeys }),
  };
}
