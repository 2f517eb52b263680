import {
  describeConfiguration,
  type DescribedVariable,
} from '../../platform/config/describe-configuration.ts';
import { generateEnvironment } from '../../platform/config/generate-environment.ts';
import { exitCodes } from '../../platform/process/exit-codes.ts';
import { findLocalStart } from '../local-start.ts';
import type { Output } from '../output.ts';

/** The effective configuration of a command: the environment, completed from the data folder of a local `npm start`. */
export async function showConfiguration(environment: NodeJS.ProcessEnv): Promise<Output> {
  // An unreadable data folder hides only its own values.
  const local = await findLocalStart(environment).catch(() => undefined);
  const described = describeConfiguration(environment, local?.values);
  return {
    lines: described.flatMap(({ name, meaning, default: fallback, value, from, mayBe, fileProblem }) => [
      name,
      `    ${meaning}`,
      `    default: ${fallback}`,
      `    now:     ${value ?? 'unset'}${from === 'npm start' ? ` (from npm start on ${local?.dataDirectory})` : ''}`,
      ...(mayBe === undefined ? [] : [`    rejected: it may be ${mayBe}`]),
      ...(fileProblem === undefined ? [] : [`    rejected: ${fileProblem}`]),
    ]),
    json: described,
    exitCode: described.some(isRejected) ? exitCodes.misused : exitCodes.done,
  };
}

const isRejected = ({ mayBe, fileProblem }: DescribedVariable): boolean =>
  mayBe !== undefined || fileProblem !== undefined;

/** Generates new secrets at each call. */
export function showEnvironment(): Output {
  const text = generateEnvironment();
  const lines = text.split('\n');
  const assignments = lines.filter((line) => /^[A-Z_]+=/.test(line));
  return {
    lines,
    json: Object.fromEntries(
      assignments.map((line) => {
        const equals = line.indexOf('=');
        return [line.slice(0, equals), line.slice(equals + 1)];
      }),
    ),
  };
}
