import type { z } from 'zod';
import type { Call, DeclaredEndpoint, EndpointDefinition, Paths, Work } from './endpoint.ts';
import type { OutsideDefinition } from './outside-endpoint.ts';
import type { AnyResponse, Reply } from './response/response-kind.ts';

type GroupedDefinition<Data extends z.ZodType, Response extends AnyResponse, RoutePaths extends Paths> = Omit<
  EndpointDefinition<'apiKey', Data, Response, RoutePaths>,
  'handle' | 'mutates' | 'credentials' | 'audit'
> & {
  handleTogether(
    calls: readonly [Call<'apiKey', z.output<Data>>, ...Call<'apiKey', z.output<Data>>[]],
    work: Work,
  ): Promise<readonly Reply<Response>[]>;
};

/**
 * Defines a mutating endpoint whose calls can share one transaction; see `GroupCommit`. `handleTogether` gets calls of one
 * key and returns replies in their order. When it throws, each call runs again in a transaction of its own.
 */
export function groupedEndpoint<
  Data extends z.ZodType,
  Response extends AnyResponse,
  const RoutePaths extends Paths,
>(
  definition: GroupedDefinition<Data, Response, RoutePaths>,
): DeclaredEndpoint<'apiKey', Data, Response, RoutePaths, true> {
  return {
    ...definition,
    credentials: 'apiKey',
    mutates: true,
    handle: oneOf(definition),
  } as unknown as DeclaredEndpoint<'apiKey', Data, Response, RoutePaths, true>;
}

/** Handles one call as a group of its own. */
const oneOf =
  <One, Response extends AnyResponse>(definition: {
    handleTogether(calls: readonly [One, ...One[]], work: Work): Promise<readonly Reply<Response>[]>;
  }) =>
  async (call: One, work: Work): Promise<Reply<Response>> => {
    const [reply] = await definition.handleTogether([call], work);
    if (reply === undefined) throw new Error('missing reply of a grouped call');
    return reply;
  };

/** A call that has `outcome` only where it needed `reach`. */
type Reached<Data extends z.ZodType, Outcome> = Call<'apiKey', z.output<Data>> & {
  readonly outcome?: Outcome;
};

type GroupedOutsideDefinition<
  Data extends z.ZodType,
  Response extends AnyResponse,
  RoutePaths extends Paths,
  Prepared,
  Outcome,
> = Omit<
  OutsideDefinition<'apiKey', Data, Response, RoutePaths, Prepared, Outcome>,
  'handle' | 'credentials' | 'audit'
> & {
  /** Only calls of the same lane share a transaction. A call without a lane runs alone. */
  laneOf(call: Call<'apiKey', z.output<Data>>): string | undefined;
  handleTogether(
    calls: readonly [Reached<Data, Outcome>, ...Reached<Data, Outcome>[]],
    work: Work,
  ): Promise<readonly Reply<Response>[]>;
};

/** Defines an endpoint of three steps; see `OutsideSteps`. Calls without `reach` group as those of `groupedEndpoint`. */
export function groupedOutsideEndpoint<
  Data extends z.ZodType,
  Response extends AnyResponse,
  const RoutePaths extends Paths,
  Prepared,
  Outcome,
>(
  definition: GroupedOutsideDefinition<Data, Response, RoutePaths, Prepared, Outcome>,
): DeclaredEndpoint<'apiKey', Data, Response, RoutePaths, true> {
  return groupedEndpoint(definition);
}
