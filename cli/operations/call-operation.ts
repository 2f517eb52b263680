import { httpMessages } from '../../api/http/messages.ts';
import type { Endpoint } from '../../api/http/endpoint.ts';
import { operationIdOf } from '../../api/openapi/operation-id.ts';
import { ConnectionError, createClient, StewardError } from '../../packages/client/source/steward.ts';
import { ConfigurationError, readConfiguration } from '../../platform/config/read-configuration.ts';
import type { Output, StreamedOutput } from '../output.ts';
import { withoutApi, type Surroundings } from '../settings.ts';
import { resultLines, type Result } from './result-lines.ts';

/** Calls an operation through the API. An export is read while it is printed. Throws a StewardError. */
export async function callOperation(
  surroundings: Surroundings,
  { paths: [path] }: Endpoint,
  data: object,
): Promise<Output | StreamedOutput> {
  const client = createClient(connectionOf(surroundings));
  const result = await methodAt(
    client,
    path,
  )(data).catch((error: unknown) => {
    throw withRemedy(error);
  });
  return result instanceof ReadableStream
    ? { stream: result }
    : { lines: resultLines(path, result), json: result };
}

/** Adds what an operator can do about a failed call to its message. */
function withRemedy(error: unknown): unknown {
  if (!(error instanceof StewardError)) return error;
  const remedy =
    error instanceof ConnectionError
      ? 'Check STEWARD_API_URL, and that an API runs there. doctor needs no API.'
      : error.message === httpMessages.invalidOperator
        ? 'Check STEWARD_OPERATOR_TOKEN.'
        : undefined;
  if (remedy === undefined) return error;
  const { status, details, httpStatus, requestId, retryAfter } = error;
  const message = `${error.message} ${remedy}`;
  return new StewardError({ status, message, details, httpStatus, requestId, retryAfter }, error);
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
  throw new ConfigurationError([
    apiUrl === undefined
      ? withoutApi(local, 'STEWARD_API_URL and STEWARD_OPERATOR_TOKEN')
      : 'STEWARD_OPERATOR_TOKEN is not set. Set it to an operator token of the API at STEWARD_API_URL.',
  ]);
}
