import type { z } from 'zod';
import { required } from '../../platform/process/required.ts';
import {
  endpoint,
  type Call,
  type DeclaredEndpoint,
  type EndpointDefinition,
  type Grouping,
  type OutsideSteps,
  type Paths,
  type Work,
} from './endpoint.ts';
import type { AnyResponse, Reply } from './response/response-kind.ts';

/** A call that has `outcome` only where it needed `reach`. */
type Grouped<Data extends z.ZodType, Outcome> = Call<'apiKey', z.output<Data>> & {
  readonly outcome?: Outcome;
};

type GroupedDefinition<
  Data extends z.ZodType,
  Response extends AnyResponse,
  RoutePaths extends Paths,
  Prepared,
  Outcome,
> = Omit<
  EndpointDefinition<'apiKey', Data, Response, RoutePaths, true>,
  'handle' | 'mutates' | 'credentials' | 'audit'
> &
  Grouping<Grouped<Data, Outcome>, Reply<Response>> & {
    readonly outside?: OutsideSteps<Call<'apiKey', z.output<Data>>, Prepared, Outcome>;
  };

/**
 * Defines a mutating endpoint whose calls can share one transaction; see `GroupCommit`. `handleTogether` gets calls of one
 * key and returns replies in their order. When it throws, each call runs again in a transaction of its own. A call that
 * needs `outside` is never grouped.
 */
export function groupedEndpoint<
  Data extends z.ZodType,
  Response extends AnyResponse,
  const RoutePaths extends Paths,
  Prepared,
  Outcome,
>({
  laneOf,
  handleTogether,
  outside,
  ...definition
}: GroupedDefinition<Data, Response, RoutePaths, Prepared, Outcome>): DeclaredEndpoint<
  'apiKey',
  Data,
  Response,
  RoutePaths,
  true
> {
  const alone = endpoint({
    ...definition,
    credentials: 'apiKey',
    mutates: true,
    async handle(call: Grouped<Data, Outcome>, work: Work) {
      const [reply] = await handleTogether([call], work);
      return required(reply, 'reply of a grouped call');
    },
  });
  return {
    ...alone,
    ...(outside && { outside }),
    grouping: { ...(laneOf && { laneOf }), handleTogether },
  };
}
