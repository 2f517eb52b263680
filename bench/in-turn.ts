/** For bodies of requests: one after the other, and from the start again. */
export function inTurn(bodies: readonly string[]): () => string {
  let next = 0;
  return () => {
    const body = bodies[next % bodies.length] ?? '';
    next += 1;
    return body;
  };
}
