import { membersOf, type JsonMembers } from '../../../platform/json/json-members.ts';
import { filled, filledHeadline, type ShownUser } from '../../headline.ts';
import { threadHeadline } from '../../thread-headlines.ts';
import { shownText } from '../../users/shown-text.ts';
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
  /** Id of the activity log's target, the notification, the agent execution, the editor or the comment annotation. */
  readonly entityId: string | null;
  readonly actionUser: ProcessedUser | null;
  /** At most 32,768 characters. */
  readonly message: string;
  /** Of a comment: its text with names in place of marks, cut to 500 Unicode characters. */
  readonly details: string | null;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const firstText = (data: JsonMembers, ...names: readonly string[]): string | null =>
  names.map((name) => textOf(data[name])).find((text) => text !== null) ?? null;

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
    entityId: firstText(data, 'targetEntityId', 'editorId', 'id', 'commentAnnotationId'),
    actionUser: userOf(data['actionUser'] ?? data['ranBy']),
    message: ownSentence(data) ?? changeSentence(message.type, data, enableDataProtection),
    details:
      firstText(data, 'displayBodyMessage', 'message', 'error') ?? textOfComment(data['targetComment']),
  };
}

function userOf(value: unknown): ProcessedUser | null {
  const { userId, name, email } = membersOf(value);
  return typeof userId === 'string' ? { userId, name: textOf(name), email: textOf(email) } : null;
}

/** The event's own template, filled in. */
function ownSentence(data: JsonMembers): string | undefined {
  const headline = filledHeadline(data);
  if (headline !== undefined) return headline;
  const template = textOf(data['displayMessageTemplate']);
  if (template === null) return undefined;
  return filled(template, /\{\{\s*([\w.-]+)\s*\}\}/g, data, membersOf(data['displayMessageTemplateData']));
}

/** The headline of a change of a comment thread, which names its actor; otherwise the catalog's description of the type. */
function changeSentence(type: string, data: JsonMembers, isProtected: boolean): string {
  const isOfThread = textOf(data['commentAnnotationId']) !== null;
  const headline = isOfThread && !isProtected ? threadHeadline(type, data) : undefined;
  return headline ?? describeEventType(type) ?? type;
}

/** Null for a comment without a text, as with data protection. */
function textOfComment(comment: unknown): string | null {
  const { commentText, to } = membersOf(comment);
  if (typeof commentText !== 'string') return null;
  return textOf(shownText(commentText, Array.isArray(to) ? to.filter(isUser) : []));
}

const isUser = (value: unknown): value is ShownUser => typeof membersOf(value)['userId'] === 'string';
