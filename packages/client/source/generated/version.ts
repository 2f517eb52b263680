/* Generated from the endpoint values by `node cli/write-tables.ts`. */

export const version = '0.3.0-dev';
