/** Blocks the event loop of this process for `ms` milliseconds, like a long computation or a suspended machine. */
export function stall(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
