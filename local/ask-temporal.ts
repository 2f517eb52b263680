import { connect } from 'node:http2';

/** Milliseconds within which a server must respond. */
const withinMs = 2_000;

/**
 * Whether the Temporal server at `address` serves the namespace. Writes the one gRPC call by hand: the client library
 * would cost the supervisor a third of a second and 50 MB.
 */
export async function servesNamespace(address: string, namespace: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const session = connect(`http://${address}`);
    const end = (response: boolean) => {
      clearTimeout(timer);
      session.destroy();
      resolve(response);
    };
    const timer = setTimeout(() => end(false), withinMs);
    session.on('error', () => end(false));
    const call = session.request({
      ':method': 'POST',
      ':path': '/temporal.api.workflowservice.v1.WorkflowService/DescribeNamespace',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    let status: unknown;
    // An error status arrives with the headers, a success with the trailers.
    const take = (headers: Readonly<Record<string, unknown>>) => (status = headers['grpc-status'] ?? status);
    call.on('response', take);
    call.on('trailers', take);
    call.on('error', () => end(false));
    call.on('end', () => end(status === '0'));
    call.resume();
    call.end(frame(namespace));
  });
}

/** `DescribeNamespaceRequest { namespace = 1 }`, not compressed. */
function frame(namespace: string): Buffer {
  const text = Buffer.from(namespace);
  const message = Buffer.concat([Buffer.from([0x0a, text.length]), text]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
