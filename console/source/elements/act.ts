import { useRef } from 'react';
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';

export interface Act<Input, Result> {
  readonly mutation: UseMutationResult<Result, Error, Input>;
  /** Starts the act. Does nothing while it runs, so that a double click acts once. */
  readonly run: (input: Input) => void;
}

/**
 * Runs an act that changes data, then refreshes the queries below `refreshes`. A retry reuses the idempotency key of
 * the failed attempt, so that a call whose response was lost is executed once.
 */
export function useAct<Input, Result>(
  call: (input: Input, options: { readonly idempotencyKey: string }) => Promise<Result>,
  {
    refreshes = [],
    onSuccess,
  }: {
    readonly refreshes?: readonly (readonly unknown[])[];
    readonly onSuccess?: (result: Result, input: Input) => void;
  } = {},
): Act<Input, Result> {
  const queries = useQueryClient();
  const running = useRef(false);
  const key = useRef<{ readonly input: string; readonly idempotencyKey: string }>(undefined);
  const mutation = useMutation<Result, Error, Input>({
    mutationFn: (input) => {
      const text = JSON.stringify(input) ?? '';
      if (key.current?.input !== text) key.current = { input: text, idempotencyKey: randomKey() };
      return call(input, { idempotencyKey: key.current.idempotencyKey });
    },
    onSuccess: async (result, input) => {
      key.current = undefined;
      onSuccess?.(result, input);
      await Promise.all(refreshes.map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
    onSettled: () => {
      running.current = false;
    },
  });
  const run = (input: Input): void => {
    if (running.current) return;
    running.current = true;
    mutation.mutate(input);
  };
  return { mutation, run };
}

/** `randomUUID` is missing on pages that are not served by https. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join('-');
