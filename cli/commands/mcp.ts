import { StartFailure } from '../../local/start-failure.ts';
import { packageProblem } from '../../platform/config/optional-packages.ts';
import type { Surroundings } from '../settings.ts';

/** Serves operations to language models over stdio. Prints nothing of its own: stdout belongs to the protocol. */
export async function mcp(
  surroundings: Surroundings,
  options: { readonly allowWrites?: boolean },
): Promise<undefined> {
  const problem = packageProblem('@modelcontextprotocol/server');
  if (problem !== undefined) throw new StartFailure(`steward mcp ${problem}.`);
  const { serveMcp } = await import('../mcp/serve.ts');
  serveMcp(surroundings, options);
  return undefined;
}
