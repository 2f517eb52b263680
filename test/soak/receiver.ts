import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The events that one webhook endpoint has received. */
export interface Received {
  /** The sequence of each record's event, by the record's id. An event of a deleted person has no id. */
  readonly records: ReadonlyMap<string, number>;
  readonly sequences: ReadonlySet<number>;
  /** Times of repeated arrivals, in milliseconds since the epoch. */
  readonly again: readonly number[];
  /** Records whose event arrived under two sequences, which means that it was recorded twice. */
  readonly twice: readonly string[];
  readonly highest: number;
}

/** A customer's server on this machine: one path per tenant. Accepts everything. */
export interface SoakReceiver {
  urlOf(tenant: string): string;
  of(tenant: string): Received;
  close(): Promise<void>;
}

interface Event {
  readonly sequence: number;
  readonly data: { readonly id?: string };
}

class Arrivals implements Received {
  readonly records = new Map<string, number>();
  readonly sequences = new Set<number>();
  readonly again: number[] = [];
  readonly twice: string[] = [];
  highest = 0;

  take({ sequence, data: { id } }: Event): void {
    this.highest = Math.max(this.highest, sequence);
    if (this.sequences.has(sequence)) this.again.push(Date.now());
    else if (id !== undefined && this.records.has(id)) this.twice.push(id);
    this.sequences.add(sequence);
    if (id !== undefined) this.records.set(id, sequence);
  }
}

export async function startReceiver(): Promise<SoakReceiver> {
  const endpoints = new Map<string, Arrivals>();
  const of = (tenant: string): Arrivals => {
    const arrivals = endpoints.get(tenant) ?? new Arrivals();
    endpoints.set(tenant, arrivals);
    return arrivals;
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      of((request.url ?? '').slice(1)).take(JSON.parse(Buffer.concat(chunks).toString()) as Event);
      response.end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (tenant) => `http://127.0.0.1:${String(port)}/${tenant}`,
    of,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
