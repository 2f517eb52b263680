import { crc32 } from 'node:zlib';
import { mebibyte } from '../units.ts';

/** Bytes of a record, so that reading one has bounded memory. The largest entry comes from a request of 1 MiB. */
const maxRecordBytes = 8 * mebibyte;

const checksumDigits = 8;

/** Bytes of a line without its line feed: the checksum, a space and base64. */
export const maxLineBytes = checksumDigits + 1 + Math.ceil(maxRecordBytes / 3) * 4;

/** Writes a record as one line: the CRC-32 of its base64 in hexadecimal, a space, the base64, and a line feed. */
export function lineOf(record: Buffer): Buffer {
  if (record.length > maxRecordBytes) throw new Error(`Record exceeds ${String(maxRecordBytes)} bytes.`);
  const text = record.toString('base64');
  return Buffer.from(`${checksumOf(text)} ${text}\n`);
}

/** Returns the record of a line without its line feed, or undefined when the line is damaged. */
export function recordOf(line: Buffer): Buffer | undefined {
  const checksum = line.toString('latin1', 0, checksumDigits);
  const text = line.toString('latin1', checksumDigits + 1);
  if (line[checksumDigits] !== 0x20 || checksumOf(text) !== checksum) return undefined;
  return Buffer.from(text, 'base64');
}

const checksumOf = (text: string): string => crc32(text).toString(16).padStart(checksumDigits, '0');
