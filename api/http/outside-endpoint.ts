import type { z } from 'zod';
import type {
  Call,
  Credentials,
  DeclaredEndpoint,
  EndpointDefinition,
  OutsideSteps,
  Paths,
  Work,
} from './endpoint.ts';
import type { AnyResponse, Reply } from './response/response-kind.ts';

/** The definition of an endpoint of three steps. */
export type OutsideDefinition<
  Kind extends Credentials,
  Data extends z.ZodType,
  Response extends AnyResponse,
  RoutePaths extends Paths,
  Prepared,
  Outcome,
> = Omit<EndpointDefinition<Kind, Data, Response, RoutePaths>, 'handle' | 'mutates'> & {
  readonly outside: OutsideSteps<Call<Kind, z.output<Data>>, Prepared, Outcome>;
  handle(
    call: Call<Kind, z.output<Data>> & { readonly outcome: Outcome },
    work: Work,
  ): Promise<Reply<Response>>;
};

/** Defines an endpoint of three steps; see `OutsideSteps`. `handle` gets the outcome of `reach`. */
export function outsideEndpoint<
  Kind extends Credentials,
  Data extends z.ZodType,
  Response extends AnyResponse,
  const RoutePaths extends Paths,
  Prepared,
  Outcome,
>(
  definition: OutsideDefinition<Kind, Data, Response, RoutePaths, Prepared, Outcome>,
): DeclaredEndpoint<Kind, Data, Response, RoutePaths, true> {
  return { ...definition, mutates: true } as unknown as DeclaredEndpoint<
    Kind,
    Data,
    Response,
    RoutePaths,
    true
  >;
}
