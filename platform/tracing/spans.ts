/** Names of OpenTelemetry's semantic conventions where they exist. Never users, content, secrets or whole URLs. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A running span. */
export interface RunningSpan {
  readonly traceId: string;
  rename(name: string): void;
  describe(attributes: SpanAttributes): void;
  /** Marks the span as failed. `type` is a status or the name of an error, never a message. */
  fail(type: string): void;
}

export interface SpanToRun {
  readonly name: string;
  readonly kind: 'server' | 'consumer' | 'producer';
  /** W3C trace context of the parent, validated; a span without a valid parent begins a trace. */
  readonly traceparent: string | undefined;
  readonly tracestate?: string | undefined;
  /** Links the span to the active one, which is in another trace. */
  readonly linked?: boolean;
  readonly attributes: SpanAttributes;
}

/** A span whose id is known before it ends, because its children began elsewhere. */
export interface SpanToRecord {
  readonly name: string;
  /** Of the parent. */
  readonly traceparent: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly failed: boolean;
  readonly attributes: SpanAttributes;
}

/** The spans of this process. Statements and outgoing calls within a span become its children automatically. */
export interface Tracing {
  run<Result>(span: SpanToRun, act: (span: RunningSpan) => Promise<Result>): Promise<Result>;
  record(span: SpanToRecord): void;
  /** W3C trace context of the active span; undefined outside of spans. */
  traceparent(): string | undefined;
  /** Sends the remaining spans, for at most 2 s. */
  close(): Promise<void>;
}
