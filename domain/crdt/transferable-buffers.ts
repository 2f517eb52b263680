/**
 * The buffers to transfer to another thread, which detaches them here. Only buffers that back a single array qualify;
 * Node pools short ones, which are copied.
 */
export function transferableBuffers(parts: readonly (Uint8Array | undefined)[]): ArrayBuffer[] {
  return parts.flatMap((part) =>
    part !== undefined && part.byteLength === part.buffer.byteLength ? [part.buffer as ArrayBuffer] : [],
  );
}
