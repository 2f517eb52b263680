/** A file of the log. */
export interface LogFile {
  readonly name: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/** The next record of a file. `end` is the position in bytes of the record after it. */
export type LogRecord =
  | { readonly state: 'whole'; readonly content: Buffer; readonly end: number }
  /** The checksum does not match: the file was changed, or its disk is faulty. */
  | { readonly state: 'damaged'; readonly end: number }
  /** The last record of a file, when its append is unfinished or failed. `end` is where the record begins. */
  | { readonly state: 'torn'; readonly end: number };

/** Stores records durably and never changes one. Several processes may append concurrently. */
export interface RecordLog {
  /** Resolves once the record is durable. A rejected append may leave a torn record, never a changed one. */
  append(record: Buffer): Promise<void>;
  /** Lists the files, the oldest first. */
  files(): Promise<readonly LogFile[]>;
  /** Reads a file from a position in bytes, in bounded memory. The file may grow meanwhile. */
  read(file: string, from: number): AsyncIterable<LogRecord>;
  /** Removes a whole file. */
  remove(file: string): Promise<void>;
  /** Rejects when the log cannot be written; stores no record. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}
