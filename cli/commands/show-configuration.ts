import { describeConfiguration } from '../../platform/config/describe-configuration.ts';
import { generateEnvironment } from '../../platform/config/generate-environment.ts';
import { findLocalStart } from '../local-start.ts';
import { exitCodes } from '../failure.ts';
import type { Output } from '../output.ts';

/** What is in force for a command here: the environment, and beside a local `npm start` what that keeps. */
export async function showConfiguration(environment: NodeJS.ProcessEnv): Promise<Output> {
  // A data folder that cannot be read hides its values, and nothing else.
  const local = await findLocalStart(environment).catch(() => undefined);
  const described = describeConfiguration(environment, local?.values);
  return {
    lines: described.flatMap(({ name, meaning, default: fallback, value, from, mayBe }) => [
      name,
      `    ${meaning}`,
      `    default: ${fallback}`,
      `    now:     ${value ?? 'unset'}${from === 'npm start' ? ` (of npm start on ${local?.dataDirectory})` : ''}`,
      ...(mayBe === undefined ? [] : [`    refused: it may be ${mayBe}`]),
    ]),
    json: described,
    exitCode: described.some(({ mayBe }) => mayBe !== undefined) ? exitCodes.misused : exitCodes.done,
  };
}

/** New secrets each time. */
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
