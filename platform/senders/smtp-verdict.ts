import type { NodemailerError } from 'nodemailer/lib/errors';
import { isCertificateCode, withoutConnection } from './connection-codes.ts';
import { defaultPauseMs, type SendVerdict } from './verdict.ts';

/** Enhanced status codes of RFC 3463 for an unknown address. */
const unknownAddress = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10']);

const noConnection = new Set([...withoutConnection, 'ETIMEDOUT']);

/** Commands before the first message of a connection. */
const sessionCommands = new Set(['CONN', 'EHLO', 'HELO', 'STARTTLS']);

const timedOutBefore = new Set(['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT']);

/** Codes of Nodemailer for a connection that broke, stalled or speaks another protocol. */
const brokenConnection = new Set(['ECONNECTION', 'ESOCKET', 'EPROTOCOL', 'ETIMEDOUT']);

/**
 * How far an attempt came: the connection was not ready for the message, the message was being sent, or the server may
 * have read it to its final dot.
 */
export type SmtpProgress = 'connecting' | 'sending' | 'sent';

/** The meaning of a failed attempt by SMTP. Returns only codes: a server's texts may contain addresses. */
export function smtpVerdict(error: unknown, progress: SmtpProgress): SendVerdict {
  const failure = error as NodemailerError;
  if (failure.responseCode !== undefined) return verdictOfReply(failure, failure.responseCode);
  // First, because TLS can fail here too: the server may have accepted the message, so the attempt must count.
  if (progress === 'sent') return { result: 'unknown', code: causeOf(failure) };
  if (failure.code === 'EAUTH' || failure.code === 'ENOAUTH')
    return { result: 'held', code: failure.code, reason: 'credentials-refused' };
  if (failure.code === 'ETLS' || isCertificateCode(causeOf(failure)))
    return { result: 'held', code: causeOf(failure), reason: 'certificate-refused' };
  if (isUnreachable(failure) || (progress === 'connecting' && brokenConnection.has(failure.code ?? '')))
    return { result: 'held', code: causeOf(failure), reason: 'unreachable' };
  if (failure.code === 'EENVELOPE')
    return { result: 'refused', code: 'address-unsupported', addressUnknown: false };
  if (failure.code === 'EMESSAGE') return { result: 'refused', code: 'too-large', addressUnknown: false };
  return { result: 'failed', code: causeOf(failure) };
}

function verdictOfReply(
  { command = '', response = '', permanent }: NodemailerError,
  reply: number,
): SendVerdict {
  const code = statusOf(response, reply);
  if (command.startsWith('AUTH') && reply >= 500)
    return { result: 'held', code, reason: 'credentials-refused' };
  // The server refuses every session: no message is at fault.
  if (sessionCommands.has(command) && reply !== 421) return { result: 'held', code, reason: 'unreachable' };
  if (reply === 421 || (command === 'MAIL FROM' && code.startsWith('4.7.')))
    return { result: 'paused', code, waitMs: defaultPauseMs };
  if (permanent !== true) return { result: 'failed', code };
  return { result: 'refused', code, addressUnknown: command === 'RCPT TO' && unknownAddress.has(code) };
}

/** The enhanced status code of a reply, else its reply code. */
export const statusOf = (response: string, reply = Number(response.slice(0, 3))): string =>
  /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})(?:\s|$)/.exec(response)?.[1] ?? String(reply);

const causeOf = ({ code, originalCode }: NodemailerError): string => originalCode ?? code ?? 'ECONNECTION';

const isUnreachable = ({ code, originalCode, timeoutType }: NodemailerError): boolean =>
  code === 'EDNS' || noConnection.has(originalCode ?? '') || timedOutBefore.has(timeoutType ?? '');
