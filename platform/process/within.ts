/**
 * Returns the result of `work`, or `otherwise` when it takes longer than `limitMs`. The work then goes on, and its later
 * result or failure is ignored.
 */
export async function within<Result, Otherwise>(
  work: Promise<Result>,
  limitMs: number,
  otherwise: Otherwise,
): Promise<Result | Otherwise> {
  const { promise: late, resolve } = Promise.withResolvers<Otherwise>();
  const timer = setTimeout(resolve, limitMs, otherwise);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
