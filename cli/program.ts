import { Command } from 'commander';
import { operatorEndpoints } from '../api/operator/endpoints.ts';
import { StartFailure } from '../local/start-failure.ts';
import { isDatabaseAway } from './failure.ts';
import { findLocalStart } from './local-start.ts';
import { addOperations } from './operations/add-operations.ts';
import { print, type Output, type StreamedOutput, type Write } from './output.ts';
import { notRunning } from './settings.ts';
import type { Surroundings } from './settings.ts';

/** Undefined prints nothing. */
type AnyOutput = Output | StreamedOutput | undefined;

/** A command; reads only the given environment. */
type Act<Options> = (environment: NodeJS.ProcessEnv, options: Options) => AnyOutput | Promise<AnyOutput>;

/** A command that uses the database or the API. */
type DatabaseAct<Options> = (surroundings: Surroundings, options: Options) => Promise<AnyOutput>;

/** Where the command line prints. */
export interface ProgramOutput {
  /** The output of commands. */
  readonly write: Write;
  /** Whether `write` prints to a terminal. */
  readonly toTerminal?: boolean;
  /** Errors in the arguments. */
  readonly writeError: (text: string) => void;
  /** Receives the parts of a help text that was requested. */
  readonly showHelp: (text: string) => void;
}

/** The command line; loads a command's modules when it runs. Throws commander's error for invalid arguments, and any error of the command. */
export function createProgram(
  environment: NodeJS.ProcessEnv,
  { write, toTerminal = false, writeError, showHelp }: ProgramOutput,
): Command {
  const does =
    <Options>(load: () => Promise<Act<Options>>) =>
    async (_options: unknown, command: Command): Promise<void> => {
      const { json, ...options } = command.optsWithGlobals<{ json?: true }>();
      const act = await load();
      const output = await act(environment, options as Options);
      if (output === undefined) return;
      await print(output, { asJson: json === true, toTerminal }, write);
      process.exitCode = ('stream' in output ? undefined : output.exitCode) ?? 0;
    };
  const worksOnDatabase = <Options>(load: () => Promise<DatabaseAct<Options>>) =>
    does<Options>(async () => besideLocalStart(await load()));
  // Subcommands inherit these settings, so they must come first.
  const program = new Command('steward')
    .usage('<command> [options]')
    .description(
      'Commands for the database of DATABASE_URL and the API of STEWARD_API_URL, or for a local npm start.',
    )
    .exitOverride()
    .configureOutput({ writeOut: showHelp, writeErr: writeError })
    .option('--json', 'print JSON');
  program
    .command('migrate')
    .description('migrate the database; safe to repeat and to run concurrently')
    .action(worksOnDatabase(async () => (await import('./commands/migrate.ts')).migrate));
  program
    .command('workspace')
    .description('manage workspaces, the owners of API keys')
    .command('create')
    .description('create a workspace and print its credentials')
    .requiredOption('--owner-email <address>', 'e-mail address of the owner')
    .option('--name <name>', 'name of the workspace')
    .action(worksOnDatabase(async () => (await import('./commands/create-workspace.ts')).createWorkspace));
  program
    .command('key')
    .description('manage API keys, the tenants')
    .command('create')
    .description('create an API key with an auth token and print both')
    .requiredOption('--workspace <id>', 'id of the workspace')
    .requiredOption('--owner-email <address>', 'e-mail address of the owner')
    .option('--type <type>', 'testing or production', 'testing')
    .option('--name <name>', 'name of the key')
    .action(worksOnDatabase(async () => (await import('./commands/create-key.ts')).createKey));
  program
    .command('keys')
    .description('list, get, disable, enable and delete API keys; rotate the keys for encryption at rest')
    .command('rotate')
    .description('re-encrypt every secret with the first key of STEWARD_ENCRYPTION_KEYS')
    .action(worksOnDatabase(async () => (await import('./commands/rotate-keys.ts')).rotateKeys));
  program
    .command('token-key')
    .description('manage the key that signs tokens of generate_token')
    .command('rotate')
    .description('sign new tokens with a new key; existing tokens stay valid')
    .action(worksOnDatabase(async () => (await import('./commands/rotate-token-key.ts')).rotateTokenKey));
  program
    .command('secrets')
    .description('manage the secrets of the deployment')
    .command('discard')
    .description(
      'discard secrets that STEWARD_ENCRYPTION_KEYS does not decrypt; their next use creates others',
    )
    .action(worksOnDatabase(async () => (await import('./commands/discard-secrets.ts')).discardSecrets));
  const deploy = program
    .command('deploy')
    .description('choose the worker build to which Temporal routes work');
  const build = (command: Command): Command =>
    command
      .option('--build-id <id>', 'build id of the workers (default: STEWARD_BUILD_ID, or the release)')
      .option('--wait <seconds>', 'seconds to wait for a worker of the build');
  deploy
    .command('status')
    .description('list the builds and the workers that poll')
    .action(worksOnDatabase(async () => (await import('./commands/deploy.ts')).showDeployment));
  build(deploy.command('current'))
    .description('route all work to a build')
    .option('--unversioned', 'route all work to workers with STEWARD_WORKER_VERSIONING=off')
    .action(worksOnDatabase(async () => (await import('./commands/deploy.ts')).makeCurrent));
  build(deploy.command('ramp'))
    .description('route a percentage of the workflows to a build; 0 ends the ramp')
    .requiredOption('--percentage <number>', 'percentage of the workflows')
    .action(worksOnDatabase(async () => (await import('./commands/deploy.ts')).ramp));
  program
    .command('deletions')
    .description('manage the deletion journal')
    .command('replay')
    .description('after a restore, repeat the deletions that completed after the backup; safe to repeat')
    .option('--accept-loss', 'skip missing files and unreadable entries of the journal permanently')
    .action(worksOnDatabase(async () => (await import('./commands/replay-deletions.ts')).replayDeletions));
  program
    .command('restore')
    .description('commands after a restore of the database')
    .command('begin')
    .description('begin a new epoch of webhook sequences, after a restore that Steward cannot detect')
    .action(worksOnDatabase(async () => (await import('./commands/begin-restore.ts')).beginRestore));
  program
    .command('doctor')
    .description('check the deployment without its API; exit code 1 for a serious finding')
    .action(worksOnDatabase(async () => (await import('./commands/doctor.ts')).doctor));
  program
    .command('mcp')
    .description('serve operations to language models over the Model Context Protocol on stdin and stdout')
    .option('--allow-writes', 'also call operations that write')
    .action(worksOnDatabase(async () => (await import('./commands/mcp.ts')).mcp));
  program
    .command('environment')
    .description('print new secrets for an installation as a .env file')
    .action(does(async () => (await import('./commands/show-configuration.ts')).showEnvironment));
  program
    .command('config')
    .description('print every variable with its default, meaning and current value')
    .action(does(async () => (await import('./commands/show-configuration.ts')).showConfiguration));
  addOperations(program, operatorEndpoints, (act) => worksOnDatabase(async () => act));
  return program;
}

/** Completes the environment from a local `npm start`, and throws a specific error when its database is unavailable. */
function besideLocalStart<Options>(act: DatabaseAct<Options>): Act<Options> {
  return async (environment, options) => {
    const local = await findLocalStart(environment);
    try {
      return await act({ environment: { ...environment, ...local.values }, local }, options);
    } catch (error) {
      const found = Object.hasOwn(local.values, 'DATABASE_URL');
      if (!found || !isDatabaseAway(error)) throw error;
      throw new StartFailure(notRunning(local), { cause: error });
    }
  };
}
