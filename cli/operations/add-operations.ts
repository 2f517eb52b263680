import type { Command } from 'commander';
import type { Endpoint } from '../../api/http/endpoint.ts';
import type { Output, StreamedOutput } from '../output.ts';
import type { Surroundings } from '../settings.ts';
import { callOperation } from './call-operation.ts';
import { jsonNull, optionsOf } from './options.ts';

/** Runs an operation with the options of its command. */
export type OperationAct = (surroundings: Surroundings, data: object) => Promise<Output | StreamedOutput>;

const prefix = '/v2/operator/';

/**
 * Adds a command for each operation of operators: `/v2/operator/keys/disable` becomes `keys disable`, and each member of
 * its data an option.
 */
export function addOperations(
  program: Command,
  endpoints: readonly Endpoint[],
  action: (act: OperationAct) => (options: unknown, command: Command) => Promise<void>,
): void {
  for (const endpoint of endpoints) {
    const words = endpoint.paths[0].slice(prefix.length).split('/');
    const command = words.reduce(subcommand, program).description(endpoint.summary);
    for (const option of optionsOf(endpoint.data)) command.addOption(option);
    command.action(
      action(async (surroundings, data) => callOperation(surroundings, endpoint, withNulls(data))),
    );
  }
  describeGroups(program);
}

const withNulls = (data: object): object =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]: [string, unknown]) => [name, value === jsonNull ? null : value]),
  );

/** Describes each group of commands that has no description by the names of its commands. */
function describeGroups(parent: Command): void {
  for (const group of parent.commands.filter(({ commands }) => commands.length > 0)) {
    describeGroups(group);
    if (group.description() === '') group.description(group.commands.map((one) => one.name()).join(', '));
  }
}

/** Returns the subcommand of this name, which may be a group that other operations share. */
const subcommand = (parent: Command, name: string): Command =>
  parent.commands.find((command) => command.name() === name) ?? parent.command(name);
