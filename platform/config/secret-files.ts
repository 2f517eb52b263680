import { readFileSync, statSync } from 'node:fs';
import { codeOf } from '../process/error-code.ts';
import { variables } from './variables.ts';
import type { Variable } from './variable.ts';

const maxBytes = 64 * 1024;

/** Variables whose value may be in a file that `NAME_FILE` names. OpenTelemetry reads its variables itself. */
const secretNames: readonly string[] = Object.entries<Variable<unknown>>(variables)
  .filter(([name, { secret }]) => secret !== undefined && !name.startsWith('OTEL_'))
  .map(([name]) => name);

/** The names of the variables that name a file with a secret. */
export const secretFileNames: readonly string[] = secretNames.map((name) => `${name}_FILE`);

/**
 * Returns the environment with the content of each secret file as the variable `NAME`, without `NAME_FILE`. When a file
 * cannot be used, `NAME_FILE` stays and `problems` gets a line, which never contains the secret.
 */
export function withSecretFiles(environment: NodeJS.ProcessEnv, problems: string[] = []): NodeJS.ProcessEnv {
  const result = { ...environment };
  for (const name of secretNames) {
    const path = environment[`${name}_FILE`]?.trim();
    if (path === undefined || path === '') continue;
    const problem =
      (environment[name]?.trim() ?? '') === ''
        ? takeFile(result, name, path)
        : `${name} is set too: set one of them`;
    if (problem === undefined) delete result[`${name}_FILE`];
    else problems.push(`${name}_FILE was ${JSON.stringify(path)}; ${problem}.`);
  }
  return result;
}

/** Puts the content of a file into the variable; returns what is wrong with the file. */
function takeFile(result: NodeJS.ProcessEnv, name: string, path: string): string | undefined {
  try {
    const text = readSmallFile(path)?.trim();
    if (text === undefined) return `the file is larger than ${maxBytes / 1024} KiB or is not a regular file`;
    if (text === '') return 'the file is empty';
    result[name] = text;
    return undefined;
  } catch (error) {
    return `the file cannot be read (${codeOf(error) || 'unknown error'})`;
  }
}

/** `undefined` for a file above the limit, a folder, a pipe or a device. */
function readSmallFile(path: string): string | undefined {
  const state = statSync(path);
  return state.isFile() && state.size <= maxBytes ? readFileSync(path, 'utf8') : undefined;
}
