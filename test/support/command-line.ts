import type { Write } from '../../cli/output.ts';
import { createProgram } from '../../cli/program.ts';
import type { TestApi } from './api.ts';
import { serverEnvironment } from './environment.ts';

/** Runs a command of the CLI in this process, with the API and the operator token of the tests. Returns its output. */
export async function runCommand(
  api: TestApi,
  commandLine: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  let printed = '';
  await printCommand(api, commandLine, (text) => void (printed += text), environment);
  return printed;
}

/** Runs a command like `runCommand`, and passes each text that it prints. */
export async function printCommand(
  api: TestApi,
  commandLine: readonly string[],
  write: Write,
  environment: Readonly<Record<string, string>> = {},
  toTerminal = false,
): Promise<void> {
  const program = createProgram(
    { ...serverEnvironment(api.database.url), STEWARD_API_URL: api.url, ...environment },
    { write, toTerminal, writeError: () => undefined, showHelp: () => undefined },
  );
  await program.parseAsync([...commandLine], { from: 'user' });
}

/** Returns the options of a command that send this data. */
export function optionsFor(data: object): readonly string[] {
  return Object.entries(data).flatMap(([name, value]: [string, unknown]) => {
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return [option, ...value];
    return [option, typeof value === 'string' ? value : JSON.stringify(value)];
  });
}
