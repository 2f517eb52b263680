import { createSocket, type RemoteInfo } from 'node:dgram';

/** A query of a name server. */
export interface Question {
  readonly name: string;
  readonly type: 'A' | 'AAAA';
}

/** Addresses of the requested type; an empty list means that the name does not exist; undefined sends no response. */
export type NameServerBehavior = (question: Question) => readonly string[] | undefined;

/** A local DNS server over UDP that records its queries. */
export interface TestNameServer {
  /** `address:port`. */
  readonly address: string;
  readonly questions: readonly Question[];
  behave(behavior: NameServerBehavior): void;
  readonly close: () => Promise<void>;
}

const headerLength = 12;
const types: Readonly<Record<number, Question['type']>> = { 1: 'A', 28: 'AAAA' };

export async function aNameServer(): Promise<TestNameServer> {
  const questions: Question[] = [];
  let behavior: NameServerBehavior = () => [];
  const socket = createSocket('udp4', (message: Buffer, { port, address }: RemoteInfo) => {
    const { question, end } = questionOf(message);
    if (question === undefined) return;
    questions.push(question);
    const addresses = behavior(question);
    if (addresses !== undefined) socket.send(response(message.subarray(0, end), addresses), port, address);
  });
  await new Promise<void>((resolve) => void socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${String(socket.address().port)}`,
    questions,
    behave: (next) => {
      behavior = next;
    },
    close: async () => new Promise<void>((resolve) => void socket.close(resolve)),
  };
}

/** `end` is the end of the question. Names are not compressed in questions. */
function questionOf(message: Buffer): { question: Question | undefined; end: number } {
  const labels: string[] = [];
  let at = headerLength;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = types[message.readUInt16BE(at + 1)];
  return { question: type && { name: labels.join('.').toLowerCase(), type }, end: at + 5 };
}

/** Returns the question and its response. Every TTL is 0. */
function response(question: Buffer, addresses: readonly string[]): Buffer {
  const header = Buffer.from(question);
  // Flags: a response, recursion available; no error or NXDOMAIN.
  header.writeUInt16BE(addresses.length > 0 ? 0x8180 : 0x8183, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt16BE(0, 10);
  return Buffer.concat([header, ...addresses.map(record)]);
}

function record(address: string): Buffer {
  const data = bytesOf(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc0_0c, 0); // the name of the question
  head.writeUInt16BE(data.length === 4 ? 1 : 28, 2);
  head.writeUInt16BE(1, 4); // internet
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

/** Returns the bytes of an IPv4 address, or of an IPv6 address in eight groups or with one `::`. A mapped address must end in hexadecimal groups. */
function bytesOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const groups = [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}
