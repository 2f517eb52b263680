import { DomainError } from '../../../domain/errors.ts';
import type { DeniedAttempts } from '../act/denied-attempts.ts';
import { actorOf, namedOwner } from '../caller/actor.ts';
import type { Operation, RequestMiddleware } from './state.ts';

/** Dependencies of the middleware for denied attempts. */
export interface Denials {
  readonly deniedAttempts: DeniedAttempts;
}

/** Records calls of an audited operation that are refused with PERMISSION_DENIED, or for failed credentials with 429. */
export function deniedAttempts(
  { deniedAttempts: attempts }: Denials,
  { endpoint: { audit, credentials } }: Operation,
): RequestMiddleware {
  return async function deniedAttempts(context, next) {
    try {
      await next();
    } catch (error) {
      const { callerId, wrongCredentials = false } = context.state;
      const denied = error instanceof DomainError && error.status === 'PERMISSION_DENIED';
      if (audit !== undefined && (denied || wrongCredentials)) {
        attempts.record({
          actor: actorOf(context, credentials),
          action: audit.action,
          ...namedOwner(context, credentials),
          onlyKnown: credentials !== 'operator' && callerId === undefined,
        });
      }
      throw error;
    }
  };
}
