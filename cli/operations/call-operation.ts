import { randomUUID } from 'node:crypto';
import type { Endpoint } from '../../api/http/endpoint.ts';
import { createClient } from '../../client/create-client.ts';
import type { ReadOptions, WriteOptions } from '../../client/operations.ts';
import { ConfigurationError, readConfiguration } from '../../platform/config/configuration.ts';
import type { Output } from '../output.ts';
import type { Surroundings } from '../settings.ts';
import { resultLines, type Result } from './result-lines.ts';

/** An operator waits for the API; more retries would look like a hanging command. */
const retries = 2;

/** A client that calls a path which is only known at run time. */
interface UntypedClient {
  call(path: string, data: object, options: ReadOptions & WriteOptions): Promise<Result>;
}

/** Calls an operation through the API. Throws a StewardError. */
export async function callOperation(
  surroundings: Surroundings,
  { paths: [path], mutates }: Endpoint,
  data: object,
): Promise<Output> {
  const client = createClient({ ...connectionOf(surroundings), retries }) as unknown as UntypedClient;
  const result = await client.call(path, data, mutates ? { idempotencyKey: randomUUID() } : { retry: true });
  return { lines: resultLines(path, result), json: result };
}

/** The API and the operator token of the environment or of a local `npm start`. */
function connectionOf({ environment, local }: Surroundings): { baseUrl: string; operatorToken: string } {
  const { apiUrl, operatorToken } = readConfiguration(environment, 'cli');
  if (apiUrl !== undefined && operatorToken !== undefined) return { baseUrl: apiUrl, operatorToken };
  const missing = apiUrl === undefined ? 'STEWARD_API_URL' : 'STEWARD_OPERATOR_TOKEN';
  throw new ConfigurationError([
    `${missing} is not set, and no npm start is running on the data folder ${local.dataDirectory}.`,
  ]);
}
