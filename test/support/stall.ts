/** Stops the event loop of this process for so many milliseconds, as a long computation or a suspended machine does. */
export function stall(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
