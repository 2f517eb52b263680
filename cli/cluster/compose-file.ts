import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { StartFailure } from '../../local/start-failure.ts';

/** The parts of a docker-compose.yml service that the cluster uses. */
export interface ComposeService {
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

export interface ComposeFile {
  service(name: string): ComposeService;
  /** The text of an inline config. */
  config(name: string): string;
}

/** docker-compose.yml interpolated with the variables of its `.env`, like `docker compose config`. */
export async function readComposeFile(variables: Readonly<Record<string, string>>): Promise<ComposeFile> {
  const text = await readFile(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
  const file: unknown = parse(interpolated(text, variables), { merge: true });
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

function interpolated(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+)(?::\?[^}]*)?\}/g, (_, name: string) => {
    const value = variables[name];
    if (value === undefined)
      throw new StartFailure(`docker-compose.yml needs ${name}, which .env does not set.`);
    return value;
  });
}

function object(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

function member(value: unknown, name: string): unknown {
  return Reflect.get(object(value), name);
}
