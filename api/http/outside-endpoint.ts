import type { z } from 'zod';
import {
  endpoint,
  type Call,
  type DeclaredEndpoint,
  type EndpointDefinition,
  type OutsideSteps,
  type Paths,
  type Work,
} from './endpoint.ts';
import type { AnyResponse, Reply } from './response/response-kind.ts';

/** The definition of an endpoint of three steps. */
type OutsideDefinition<
  Data extends z.ZodType,
  Response extends AnyResponse,
  RoutePaths extends Paths,
  Prepared,
  Outcome,
> = Omit<EndpointDefinition<'apiKey', Data, Response, RoutePaths, true>, 'handle' | 'mutates'> & {
  readonly outside: OutsideSteps<Call<'apiKey', z.output<Data>>, Prepared, Outcome>;
  handle(
    call: Call<'apiKey', z.output<Data>> & { readonly outcome: Outcome },
    work: Work,
  ): Promise<Reply<Response>>;
};

/** Defines an endpoint of three steps; see `OutsideSteps`. `handle` gets the outcome of `reach`. */
export function outsideEndpoint<
  Data extends z.ZodType,
  Response extends AnyResponse,
  const RoutePaths extends Paths,
  Prepared,
  Outcome,
>({
  outside,
  ...definition
}: OutsideDefinition<Data, Response, RoutePaths, Prepared, Outcome>): DeclaredEndpoint<
  'apiKey',
  Data,
  Response,
  RoutePaths,
  true
> {
  return { ...endpoint({ ...definition, mutates: true }), outside };
}
