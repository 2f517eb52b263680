import type { z } from 'zod';
import type { Endpoints } from '../api/endpoints.ts';
import type { Credentials } from '../api/http/endpoint.ts';

/** Every operation by its path: the registry of the API, read by its types. */
export type Operations = { [Operation in Endpoints as Operation['paths'][number]]: Operation };

/** The paths that a kind of credentials opens. */
export type PathFor<Kind extends Credentials> = {
  [Path in keyof Operations]: Operations[Path]['credentials'] extends Kind ? Path : never;
}[keyof Operations];

/** Of those, the ones that answer lists. */
export type ListPathFor<Kind extends Credentials> = {
  [Path in PathFor<Kind>]: Operations[Path]['response']['kind'] extends 'list' ? Path : never;
}[PathFor<Kind>];

/** What is sent as `data`. */
export type DataOf<Path extends keyof Operations> = z.input<Operations[Path]['data']>;

/** What is answered as `result`; where there is no envelope, the whole answer. */
export type ResultOf<Path extends keyof Operations> = NonNullable<
  Operations[Path]['response']['types']
>[Operations[Path]['mutates'] extends true ? 'mutated' : 'result'];

export interface CallOptions {
  /** Ends the call, or the wait before its next try, with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A call that changes nothing may be tried again at will. */
export interface ReadOptions extends CallOptions {
  /** Tries again what failed in passing. */
  readonly retry?: boolean;
}

/** A call that changes something is tried again only under a key, by which it is done once. */
export interface WriteOptions extends CallOptions {
  readonly idempotencyKey?: string;
}

export type OptionsOf<Path extends keyof Operations> = Operations[Path]['mutates'] extends true
  ? WriteOptions
  : ReadOptions;

/** `data` may be left out where nothing in it is required. */
export type CallArguments<Path extends keyof Operations> =
  Record<never, never> extends DataOf<Path>
    ? [data?: DataOf<Path>, options?: OptionsOf<Path>]
    : [data: DataOf<Path>, options?: OptionsOf<Path>];
