import { textOf } from '../platform/config/configuration.ts';
import { newEncryptionKey, newSecret } from '../platform/config/generate-environment.ts';
import { readIfThere, writeWhole } from './files.ts';
import { StartFailure, touching } from './start-failure.ts';

/** Secrets that the embedded start makes once and keeps for ever. */
export interface LocalSecrets {
  readonly operatorToken: string;
  /** As STEWARD_ENCRYPTION_KEYS wants them. */
  readonly encryptionKeys: string;
  /** What the demo workspace answers to; absent before the first start is done. */
  readonly demo?: DemoCredentials;
  /** The last start took STEWARD_ENCRYPTION_KEYS from its environment; `encryptionKeys` of the file were not in use. */
  readonly keysGiven?: true;
}

export interface DemoCredentials {
  readonly workspaceId: string;
  readonly workspaceAuthToken: string;
  readonly apiKey: string;
  readonly authToken: string;
}

/** The secrets of the file; made, and kept there, when there are none. Those that are given take their place. */
export async function localSecrets(file: string, given: Partial<LocalSecrets>): Promise<LocalSecrets> {
  return await touching(file, async () => {
    const kept = await readSecrets(file);
    const { keysGiven, ...made } = kept ?? { operatorToken: newSecret(), encryptionKeys: newEncryptionKey() };
    const secrets: LocalSecrets = given.encryptionKeys === undefined ? made : { ...made, keysGiven: true };
    if (!kept || keysGiven !== secrets.keysGiven) await keepSecrets(file, secrets);
    return { ...secrets, ...given };
  });
}

/** Remembers the demo workspace, whose credentials every start is to show again. */
export async function rememberDemo(file: string, demo: DemoCredentials): Promise<void> {
  const kept = await readSecrets(file);
  if (kept) await touching(file, async () => await keepSecrets(file, { ...kept, demo }));
}

async function keepSecrets(file: string, secrets: LocalSecrets): Promise<void> {
  await writeWhole(file, `${JSON.stringify(secrets, null, 2)}\n`);
}

/** The secrets of the file, undefined where there is none. Throws a StartFailure when it is damaged. */
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
      const demo = demoIn(content);
      const keysGiven = Reflect.get(Object(content), 'keysGiven') === true;
      return { operatorToken, encryptionKeys, ...(demo && { demo }), ...(keysGiven && { keysGiven }) };
    }
  } catch {
    // Told below: making new secrets in place of damaged ones would make the data unreadable.
  }
  throw new StartFailure(`${file} is damaged: restore it, or remove the data folder to start anew.`);
}

function demoIn(content: unknown): DemoCredentials | undefined {
  const demo: unknown =
    typeof content === 'object' && content !== null ? Reflect.get(content, 'demo') : undefined;
  return isDemoCredentials(demo) ? demo : undefined;
}

/** Whether something read from outside is a set of demo credentials. */
export function isDemoCredentials(value: unknown): value is DemoCredentials {
  const names = ['workspaceId', 'workspaceAuthToken', 'apiKey', 'authToken'];
  return names.every((name) => textIn(value, name) !== undefined);
}

function textIn(value: unknown, name: string): string | undefined {
  const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof text === 'string' ? text : undefined;
}

/** Secrets that the environment sets take the place of those that were made. */
export function givenSecrets(environment: NodeJS.ProcessEnv): Partial<LocalSecrets> {
  const operatorToken = textOf(environment, 'STEWARD_OPERATOR_TOKEN');
  const encryptionKeys = textOf(environment, 'STEWARD_ENCRYPTION_KEYS');
  return {
    ...(operatorToken !== undefined && { operatorToken }),
    ...(encryptionKeys !== undefined && { encryptionKeys }),
  };
}
