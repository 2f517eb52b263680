/** Decodes base64 or base64url, with or without padding. Throws for other characters. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

export const bytesOfText = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
