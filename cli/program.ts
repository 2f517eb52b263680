import { Command } from 'commander';
import { createKey } from './commands/create-key.ts';
import { createWorkspace } from './commands/create-workspace.ts';
import { migrate } from './commands/migrate.ts';
import { rotateKeys } from './commands/rotate-keys.ts';
import { showConfiguration, showEnvironment } from './commands/show-configuration.ts';
import type { Output } from './output.ts';

/** A command, given its options; reads nothing but this environment. */
type Act<Options> = (environment: NodeJS.ProcessEnv, options: Options) => Output | Promise<Output>;

/** The command line. Throws commander's error where the arguments are wrong, and whatever a command throws. */
export function createProgram(environment: NodeJS.ProcessEnv, write: (text: string) => void): Command {
  const does =
    <Options>(act: Act<Options>) =>
    async (_options: unknown, command: Command): Promise<void> => {
      const { json, ...options } = command.optsWithGlobals<{ json?: true }>();
      const output = await act(environment, options as Options);
      const text = json === true ? JSON.stringify(output.json, undefined, 2) : output.lines.join('\n');
      write(`${text.trimEnd()}\n`);
      process.exitCode = output.exitCode ?? 0;
    };
  // Subcommands take over how the program exits and writes: said before they are made.
  const program = new Command('steward')
    .usage('<command> [options]')
    .description('Works on the database that DATABASE_URL names.')
    .exitOverride()
    .configureOutput({ writeOut: write })
    .option('--json', 'print JSON');
  program
    .command('migrate')
    .description('bring the database up to date; safe to repeat and to run several times at once')
    .action(does(migrate));
  program
    .command('workspace')
    .description('workspaces, the owners of API keys')
    .command('create')
    .description('create a workspace and print its credentials')
    .requiredOption('--owner-email <address>', 'e-mail address of the owner')
    .option('--name <name>', 'name of the workspace')
    .action(does(createWorkspace));
  program
    .command('key')
    .description('API keys, the tenants')
    .command('create')
    .description('create an API key with an auth token and print both')
    .requiredOption('--workspace <id>', 'id of the workspace')
    .requiredOption('--owner-email <address>', 'e-mail address of the owner')
    .option('--type <type>', 'testing or production', 'testing')
    .option('--name <name>', 'name of the key')
    .action(does(createKey));
  program
    .command('keys')
    .description('the keys of the encryption at rest')
    .command('rotate')
    .description('seal every secret with the first of STEWARD_ENCRYPTION_KEYS')
    .action(does(rotateKeys));
  program
    .command('environment')
    .description('print new secrets for an installation, as a .env')
    .action(does(showEnvironment));
  program
    .command('config')
    .description('print every variable with its default, meaning and present value')
    .action(does(showConfiguration));
  return program;
}
