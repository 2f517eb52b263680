import { codeOf } from '../platform/process/error-code.ts';
import { hostFailure } from '../platform/network/listen-failure.ts';

/** Explains why the API cannot listen on its host and port. */
export function portFailure(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): Error {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') {
    return new Error(
      `Port ${String(port)} is taken. Choose another with PORT=<port>, or PORT=0 for a free one.`,
    );
  }
  if (code === 'EACCES')
    return new Error(
      `Port ${String(port)} may not be used by this user. Choose one above 1023 with PORT=<port>.`,
    );
  return hostFailure(error, host) ?? (error instanceof Error ? error : new Error(String(error)));
}
