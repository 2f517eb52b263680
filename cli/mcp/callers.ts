import type { Credentials } from '../../api/http/endpoint.ts';
import { credentialHeaders } from '../../api/http/caller/authenticate.ts';
import { ConfigurationError, readConfiguration } from '../../platform/config/read-configuration.ts';
import { withoutApi, type Surroundings } from '../settings.ts';

/** Variables with the credentials of each kind of caller, in the order of `credentialHeaders`. */
export const credentialVariables = {
  apiKey: ['STEWARD_API_KEY', 'STEWARD_AUTH_TOKEN'],
  workspace: ['STEWARD_WORKSPACE_ID', 'STEWARD_WORKSPACE_AUTH_TOKEN'],
  operator: ['STEWARD_OPERATOR_TOKEN'],
} as const satisfies Record<Credentials, readonly string[]>;

/** The API that is called, and its caller. */
export interface Callers {
  readonly apiUrl: string;
  /** The credential headers of a kind, or undefined where a variable is not set. */
  headers(kind: Credentials): Readonly<Record<string, string>> | undefined;
  /** Returns the text without any of the credentials. */
  masked(text: string): string;
}

/** Reads API and credentials from the environment or a local `npm start`. Throws where there is no API to call. */
export function callersOf({ environment, local }: Surroundings): Callers {
  const { apiUrl, operatorToken, caller } = readConfiguration(environment, 'cli');
  if (apiUrl === undefined) {
    throw new ConfigurationError([withoutApi(local, 'STEWARD_API_URL and credentials (docs/mcp.md)')]);
  }
  const values: Readonly<Record<Credentials, readonly (string | undefined)[]>> = {
    apiKey: [caller.apiKey, caller.authToken],
    workspace: [caller.workspaceId, caller.workspaceAuthToken],
    operator: [operatorToken],
  };
  // A workspace id is no secret: operations take it as a member.
  const secrets = [caller.apiKey, caller.authToken, caller.workspaceAuthToken, operatorToken].filter(
    (value) => value !== undefined,
  );
  return {
    apiUrl,
    headers(kind) {
      const found = credentialHeaders[kind].flatMap((name, index) => {
        const value = values[kind][index];
        return value === undefined ? [] : [[name, value] as const];
      });
      return found.length === credentialHeaders[kind].length ? Object.fromEntries(found) : undefined;
    },
    masked: (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text),
  };
}
