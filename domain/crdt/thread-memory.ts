/**
 * What goes to another thread without being copied, and is gone here: the memory of those bytes that share it with no
 * others. Short ones do, and are copied.
 */
export function memoryOf(parts: readonly (Uint8Array | undefined)[]): ArrayBuffer[] {
  return parts.flatMap((part) =>
    part !== undefined && part.byteLength === part.buffer.byteLength ? [part.buffer as ArrayBuffer] : [],
  );
}
