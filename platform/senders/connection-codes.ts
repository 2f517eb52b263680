/** Error codes of Node.js for failures without a connection. */
export const withoutConnection: readonly string[] = [
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
];

/** Whether an error code of Node.js means that the server's certificate was refused. */
export const isCertificateCode = (code: string): boolean =>
  /CERT|^ERR_(?:TLS|SSL)|UNABLE_TO_(?:VERIFY|GET)/.test(code);
