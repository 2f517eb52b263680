import { isGrpcServiceError } from '@temporalio/client';

/** The gRPC codes that Steward distinguishes. */
export const grpcCodes = {
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  unimplemented: 12,
  unavailable: 14,
} as const;

/** Returns the gRPC error of a failed call to Temporal, also where the client has wrapped it. */
export function grpcErrorOf(error: unknown): { readonly code: number; readonly details: string } | undefined {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause)
    if (isGrpcServiceError(at)) return at;
  return undefined;
}

export const grpcCodeOf = (error: unknown): number | undefined => grpcErrorOf(error)?.code;
