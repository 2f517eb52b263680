/** A kill or a fault. */
export interface Outage {
  /** The process or the fault. */
  readonly what: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds until all processes worked again. */
  readonly downMs: number;
}
