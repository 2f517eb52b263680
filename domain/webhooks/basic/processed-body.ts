import { filled, filledHeadline } from '../../headline.ts';
import { dataOf, type Message, type PayloadOptions } from '../delivery/payload.ts';
import { describeEventType } from '../event-types.ts';

/** The acting user of a processed body. */
export interface ProcessedUser {
  readonly userId: string;
  readonly name: string | null;
  readonly email: string | null;
}

/** Body for the processed URL of the basic webhook: flat, with a displayable sentence. */
export interface ProcessedBody {
  readonly event: string;
  readonly source: string;
  readonly webhookId: string;
  readonly version: 1;
  readonly sequence: number | null;
  /** Event time, in milliseconds. */
  readonly timestamp: number;
  readonly organizationId: string | null;
  readonly documentId: string | null;
  /** Id of the activity log's target, the notification, the agent execution or the editor. */
  readonly entityId: string | null;
  readonly actionUser: ProcessedUser | null;
  readonly message: string;
  readonly details: string | null;
}

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** With data protection, the body contains no names and no user-written text. */
export function processedBody(message: Message, { enableDataProtection }: PayloadOptions): ProcessedBody {
  const data = membersOf(JSON.parse(dataOf(message, enableDataProtection)));
  const metadata = membersOf(data['metadata']);
  const location = (member: string) => textOf(data[member]) ?? textOf(metadata[member]);
  return {
    event: message.type,
    source: message.source,
    webhookId: message.webhookId,
    version: 1,
    sequence: message.sequence,
    timestamp: message.at,
    organizationId: location('organizationId'),
    documentId: location('documentId'),
    entityId: textOf(data['targetEntityId']) ?? textOf(data['editorId']) ?? textOf(data['id']),
    actionUser: userOf(data['actionUser'] ?? data['ranBy']),
    message: sentenceOf(message.type, data),
    details: textOf(data['displayBodyMessage']) ?? textOf(data['message']) ?? textOf(data['error']),
  };
}

function userOf(value: unknown): ProcessedUser | null {
  const { userId, name, email } = membersOf(value);
  return typeof userId === 'string' ? { userId, name: textOf(name), email: textOf(email) } : null;
}

/** The event's own template, filled in; otherwise the catalog's description of its type. */
function sentenceOf(type: string, data: Members): string {
  const headline = filledHeadline(data);
  if (headline !== undefined) return headline;
  const template = textOf(data['displayMessageTemplate']);
  if (template !== null) {
    return filled(template, /\{\{\s*([\w.-]+)\s*\}\}/g, data, membersOf(data['displayMessageTemplateData']));
  }
  return describeEventType(type) ?? type;
}
