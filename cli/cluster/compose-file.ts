import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { StartFailure } from '../../local/start-failure.ts';

/** The members of a docker-compose.yml service that the cluster uses. */
export interface ComposeService {
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

export interface ComposeFile {
  service(name: string): ComposeService;
  /** The text of an inline config. */
  config(name: string): string;
}

/**
 * docker-compose.yml interpolated with the variables of its `.env`, like `docker compose config`. Writes the file of each
 * secret to `secretFolder`, which replaces /run/secrets.
 */
export async function readComposeFile(
  variables: Readonly<Record<string, string>>,
  secretFolder: string,
): Promise<ComposeFile> {
  const text = await readFile(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
  const native = interpolated(text, variables).replaceAll('/run/secrets/', `${secretFolder}/`);
  const file: unknown = parse(native, { merge: true });
  await mkdir(secretFolder, { recursive: true, mode: 0o700 });
  for (const [name, secret] of Object.entries(object(member(file, 'secrets')))) {
    const variable = String(member(secret, 'environment'));
    await writeFile(join(secretFolder, name), valueOf(variables, variable), { mode: 0o600 });
  }
  return {
    service(name) {
      const found = member(member(file, 'services'), name);
      const command = member(found, 'command');
      return {
        environment: Object.fromEntries(
          Object.entries(object(member(found, 'environment'))).map(([key, value]) => [key, String(value)]),
        ),
        command: Array.isArray(command) ? command.map(String) : [],
      };
    },
    config: (name) => String(member(member(member(file, 'configs'), name), 'content')),
  };
}

/** `$$`, and `${NAME}` with `:-default` or `:?message` or neither. */
const interpolation = /\$(?:\$|\{(\w+)(?::(?:\?[^{}]*|-([^{}]*)))?\})/g;

/** Returns the text with the values of variables. Throws for one that is missing. Exported for its test. */
export function interpolated(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(interpolation, (_, name: string | undefined, fallback: string | undefined) => {
    if (name === undefined) return '$';
    // An empty value counts as absent.
    return fallback === undefined ? valueOf(variables, name) : variables[name] || fallback;
  });
}

function valueOf(variables: Readonly<Record<string, string>>, name: string): string {
  const value = variables[name];
  if (value === undefined)
    throw new StartFailure(`docker-compose.yml needs ${name}, which .env does not set.`);
  return value;
}

function object(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

function member(value: unknown, name: string): unknown {
  return Reflect.get(object(value), name);
}
