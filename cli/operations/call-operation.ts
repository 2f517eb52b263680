import type { Endpoint } from '../../api/http/endpoint.ts';
import { operationIdOf } from '../../api/openapi/operation-id.ts';
import { createClient } from '../../packages/client/source/steward.ts';
import { ConfigurationError, readConfiguration } from '../../platform/config/read-configuration.ts';
import type { Output, StreamedOutput } from '../output.ts';
import type { Surroundings } from '../settings.ts';
import { resultLines, type Result } from './result-lines.ts';

/** Calls an operation through the API. An export is read while it is printed. Throws a StewardError. */
export async function callOperation(
  surroundings: Surroundings,
  { paths: [path] }: Endpoint,
  data: object,
): Promise<Output | StreamedOutput> {
  const result = await methodAt(createClient(connectionOf(surroundings)), path)(data);
  return result instanceof ReadableStream
    ? { stream: result }
    : { lines: resultLines(path, result), json: result };
}

/** Returns the method of a path that is only known at run time. */
const methodAt = (client: object, path: string) =>
  operationIdOf(path)
    .split('.')
    .reduce<unknown>((part, name) => (part as Readonly<Record<string, unknown>>)[name], client) as (
    data: object,
  ) => Promise<Result | ReadableStream<Uint8Array>>;

/** The API and the operator token of the environment or of a local `npm start`. */
function connectionOf({ environment, local }: Surroundings): { baseUrl: string; operatorToken: string } {
  const { apiUrl, operatorToken } = readConfiguration(environment, 'cli');
  if (apiUrl !== undefined && operatorToken !== undefined) return { baseUrl: apiUrl, operatorToken };
  const missing = apiUrl === undefined ? 'STEWARD_API_URL' : 'STEWARD_OPERATOR_TOKEN';
  throw new ConfigurationError([
    apiUrl !== undefined && local.state === 'running'
      ? 'STEWARD_OPERATOR_TOKEN is not set, and STEWARD_API_URL names another API than that of npm start.'
      : `${missing} is not set, and no npm start is running on the data folder ${local.dataDirectory}.`,
  ]);
}
