/** Returns a function that returns the bodies one after the other and then starts over. */
export function inTurn(bodies: readonly string[]): () => string {
  let next = 0;
  return () => {
    const body = bodies[next % bodies.length] ?? '';
    next += 1;
    return body;
  };
}
