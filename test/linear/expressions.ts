import type { AppliedExpression } from './applied-expression.ts';

const oneClass = 'anchored; one class up to a fixed length or the end, so no backtracking is possible';
const disjoint = 'what follows each repetition is no member of its class, so backtracking ends at once';
const fixedWidth = 'matches a fixed number of characters, so each position costs the same';
const anchoredWord = 'anchored; compares a fixed word at the start';

/**
 * Every regular expression of the product is here or in `neverOnInput`: `expressions.test.ts` fails for one that is
 * missing, and applies these to texts of 1 MiB. The product applies them to bodies, headers, ids, URLs, settings of
 * customers, what their servers and providers return, arguments of commands, and responses that commands show.
 */
export const applied: readonly AppliedExpression[] = [
  { file: 'api/http/middleware/cross-origin.ts', expression: /^[\x21-\x7e]{1,300}$/, linear: oneClass },
  { file: 'api/activity-logs/activity-log.ts', expression: /^[A-Za-z0-9_.:-]{1,100}$/, linear: oneClass },
  { file: 'api/comments/comment-input.ts', expression: /^[A-Za-z0-9_-]{1,64}$/, linear: oneClass },
  {
    file: 'api/configuration/members.ts',
    expression: /^https?:\/\/[^\s\\/]\S*$/i,
    linear: 'anchored; after one character a single class up to the end',
    heads: ['https://a'],
  },
  { file: 'api/configuration/members.ts', expression: /^[\t\x20-\x7e\x80-\xff]*$/, linear: oneClass },
  {
    file: 'api/configuration/members.ts',
    expression: /^[^/]*\/\/[^/?#\\]*@/,
    linear: 'anchored; ends at the first slash, and then searches one run backwards for the @',
    heads: ['https://a'],
  },
  {
    file: 'api/crdt/update-crdt.ts',
    expression: /^[A-Za-z0-9+/]+={0,2}$/,
    linear: disjoint,
    units: ['=', 'a'],
  },
  {
    file: 'api/console/files.ts',
    expression: /^\/console\/(?:api|session|sessions)(?:\/|$)/,
    linear: anchoredWord,
  },
  { file: 'api/console/session-cookie.ts', expression: /^\[|\]$/g, linear: fixedWidth },
  { file: 'api/email-events/page.ts', expression: /^[\w-]{32}$/, linear: oneClass },
  { file: 'api/documents/get-documents.ts', expression: /^metadata\./, linear: anchoredWord },
  { file: 'api/http/request/content-headers.ts', expression: /^(?:identity)?$/i, linear: anchoredWord },
  {
    file: 'api/http/request/content-headers.ts',
    expression: /^\s*application\/x-www-form-urlencoded\b/i,
    linear: disjoint,
    heads: [' '],
  },
  {
    file: 'api/http/request/content-type.ts',
    expression: /^application\/(?:[\w.+-]+\+)?json$/,
    linear: 'anchored; each + is checked once as the end of the prefix, and `json$` fails there at once',
    heads: ['application/', 'application/a'],
    units: ['+', 'a+', '+json', '+jso'],
  },
  {
    file: 'api/http/request/content-type.ts',
    expression: /^charset\s*=\s*"?(?:utf-?8|us-ascii)"?$/,
    linear: disjoint,
    heads: ['charset', 'charset='],
  },
  { file: 'api/http/request/issues.ts', expression: /^[A-Za-z_$][\w$-]*$/, linear: oneClass, heads: ['a'] },
  { file: 'api/http/request/scan-json.ts', expression: /^(?:0000|[dD][89a-fA-F])/, linear: fixedWidth },
  { file: 'api/http/caller/origin.ts', expression: /^www\./, linear: anchoredWord },
  { file: 'api/http/middleware/request-head.ts', expression: /^100-continue$/i, linear: anchoredWord },
  { file: 'api/http/middleware/request-id.ts', expression: /^[!-~]{1,128}$/, linear: oneClass },
  { file: 'platform/logging/request-id.ts', expression: /^[A-Za-z0-9_.:-]{1,64}$/, linear: oneClass },
  { file: 'api/http/middleware/validation.ts', expression: /^[!-~]{1,255}$/, linear: oneClass },
  { file: 'api/cross-resource/metadata.ts', expression: /^[_$]/, linear: fixedWidth },
  { file: 'api/notifications/notification.ts', expression: /^[A-Za-z0-9_-]{1,128}$/, linear: oneClass },
  { file: 'api/rewriter/ask-ai.ts', expression: /^[A-Za-z0-9._:-]{1,100}$/, linear: oneClass },
  { file: 'api/schemas.ts', expression: /\p{Cc}/u, linear: fixedWidth },
  {
    file: 'api/schemas.ts',
    expression: /^[^\s@"\p{Cc}]{1,64}@(?:[^\s@."\p{Cc}]+\.)+[^\s@."\p{Cc}]+$/u,
    linear: 'a text splits at its dots in one way only, so each label is read at most twice',
    heads: ['a@', 'a@b.'],
    units: ['a.', 'é', '🦊.'],
  },
  { file: 'api/webhooks/webhook-endpoint.ts', expression: /^[A-Za-z0-9_.:-]{1,128}$/, linear: oneClass },
  { file: 'api/webhooks/webhook-endpoint.ts', expression: /^[A-Za-z0-9_.-]{1,256}$/, linear: oneClass },
  { file: 'api/workspace/create-workspace.ts', expression: /^https?$/, linear: anchoredWord },
  { file: 'cli/mcp/find-operations.ts', expression: /[A-Z]/g, linear: fixedWidth },
  {
    file: 'cli/mcp/find-operations.ts',
    expression: /[^a-z0-9]+/,
    linear: 'one class, and nothing follows it',
  },
  { file: 'cli/mcp/tools.ts', expression: /^[!-~]{1,255}$/, linear: oneClass },
  { file: 'cli/operations/options.ts', expression: /^-?\d+$/, linear: oneClass },
  {
    file: 'cli/visible-text.ts',
    expression: /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu,
    linear: fixedWidth,
  },
  {
    file: 'cli/visible-text.ts',
    expression: /(?!\r?\n|\r$)[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu,
    linear: fixedWidth,
  },
  { file: 'cli/start.ts', expression: /\.$/, linear: fixedWidth },
  { file: 'packages/client/source/response.ts', expression: /^\d{1,9}$/, linear: oneClass },
  { file: 'packages/client/source/webhooks.ts', expression: /^\d{1,12}$/, linear: oneClass },
  {
    file: 'domain/configuration/rsa-public-key.ts',
    expression:
      /^\s*-----BEGIN (?:RSA )?PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END (?:RSA )?PUBLIC KEY-----\s*$/,
    linear: disjoint,
    heads: ['-----BEGIN PUBLIC KEY-----', '-----BEGIN PUBLIC KEY-----a-----END PUBLIC KEY-----'],
    units: ['-----END', '-----BEGIN PUBLIC KEY-----a'],
  },
  {
    file: 'domain/configuration/rsa-public-key.ts',
    expression: /^[A-Za-z0-9+/\s]+(?:={1,2}\s*)?$/,
    linear: 'the class ends at the first =, and white space is read again only after one',
    heads: ['a', 'a='],
    units: ['a ', '= '],
  },
  {
    file: 'domain/crdt/xml-nodes.ts',
    expression: /<\/([^\s<>/"'=]+)>|<([^\s<>/"'=]+)((?:\s+[^\s=<>"']+="[^"<>]*")*)>|([^<]+)/gy,
    linear: 'sticky: begins where the last token ended; attributes split in one way only',
    heads: ['<a', '<a b="', '<'],
    units: [' a="b"', ' a=', '<a>', '</a>', '<a b="c">', '<'],
  },
  {
    file: 'domain/crdt/xml-nodes.ts',
    expression: /\s+([^\s=<>"']+)="([^"<>]*)"/gy,
    linear: 'sticky: ends at the first position that is not an attribute',
    units: [' a="b"', ' a='],
  },
  { file: 'domain/crdt/yjs-content.ts', expression: /[\udc00-\udfff]/, linear: fixedWidth },
  { file: 'domain/rewriter/call-model.ts', expression: /^[\x21-\x7e]+$/, linear: oneClass },
  {
    file: 'domain/rewriter/classify-failure.ts',
    expression: /^[A-Za-z][A-Za-z0-9_]{0,63}$/,
    linear: oneClass,
  },
  { file: 'domain/users/named-users.ts', expression: /\p{Cc}/u, linear: fixedWidth },
  {
    file: 'domain/headline.ts',
    expression: /\{\s*([\w.-]+)\s*\}/g,
    linear: 'begins only at {, and neither white space nor a name goes beyond the next one',
    units: ['{', '{ ', '{a', '{a ', '{a}'],
    heads: ['{', '{a'],
  },
  {
    file: 'domain/webhooks/basic/processed-body.ts',
    expression: /\{\{\s*([\w.-]+)\s*\}\}/g,
    linear: 'begins only at {{, and neither white space nor a name goes beyond the next one',
    units: ['{{', '{{ ', '{{a', '{{a }', '{{a}}'],
    heads: ['{{', '{{a'],
  },
  {
    file: 'domain/webhooks/delivery/send.ts',
    expression: /\uFFFD$/,
    linear: fixedWidth,
    units: ['\uFFFD'],
  },
  {
    file: 'domain/webhooks/delivery/payload.ts',
    expression: /^\{"featureType":"([a-z]+)"/,
    linear: disjoint,
    heads: ['{"featureType":"'],
  },
  {
    file: 'domain/webhooks/delivery/protected-data.ts',
    expression: /(?:^|[a-z0-9])Ids?$/,
    linear: fixedWidth,
    units: ['aId', 'aIds'],
  },
  {
    file: 'domain/webhooks/delivery/protected-data.ts',
    expression: /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/,
    linear: disjoint,
    heads: ['2026-01-01T'],
  },
  {
    file: 'domain/users/name-index.ts',
    expression: /"(?:[^"\\]|\\.)*(?:"|\\?$)/gsu,
    linear: 'its first possible start always matches, and matched text is never scanned again',
    heads: ['"'],
    units: ['\\"', '\\\n', '""'],
  },
  { file: 'domain/webhooks/svix/svix-client.ts', expression: /^[A-Za-z0-9_.-]{1,256}$/, linear: oneClass },
  { file: 'domain/webhooks/svix/svix-client.ts', expression: /^\.+$/, linear: oneClass },
  { file: 'domain/webhooks/svix/svix-provider.ts', expression: /^[A-Za-z0-9_.-]{1,128}$/, linear: oneClass },
  {
    file: 'domain/workspaces/allowed-domains.ts',
    expression: /^[a-z][a-z0-9+.-]*:\/\//,
    linear: disjoint,
    heads: ['a'],
  },
  {
    file: 'domain/workspaces/allowed-domains.ts',
    expression: /[/?#].*$/s,
    linear: 'its first possible start always matches, to the end',
  },
  { file: 'domain/workspaces/allowed-domains.ts', expression: /^www\./, linear: anchoredWord },
  {
    file: 'domain/workspaces/allowed-domains.ts',
    expression: /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/,
    linear: 'at most 63 characters',
  },
  { file: 'domain/workspaces/allowed-domains.ts', expression: /^[0-9.]+$/, linear: oneClass },
  { file: 'domain/workspaces/allowed-domains.ts', expression: /[\s%\\]/, linear: fixedWidth },
  { file: 'platform/database/array-literal.ts', expression: /["\\]/g, linear: fixedWidth },
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  { file: 'platform/database/array-literal.ts', expression: /[\u0000-\u001f]/, linear: fixedWidth },
  { file: 'platform/network/parse-web-url.ts', expression: /[\t\n\r]/g, linear: fixedWidth },
  {
    file: 'platform/network/parse-web-url.ts',
    expression: /^[\s\p{Cc}]*https?:[/\\]*([^/\\?#]*)/iu,
    linear: disjoint,
    heads: [' ', 'https:', 'http://a'],
  },
  { file: 'platform/network/parse-web-url.ts', expression: /[\u0080-\u{10ffff}%]/u, linear: fixedWidth },
  { file: 'platform/network/parse-web-url.ts', expression: /[.。．｡]/, linear: fixedWidth },
  { file: 'platform/outbound/outbound-connections.ts', expression: /^\[|\]$|\.$/g, linear: fixedWidth },
  { file: 'platform/outbound/destination.ts', expression: /\.$/, linear: fixedWidth },
  {
    file: 'domain/configuration/p256-public-key.ts',
    expression: /^[A-Za-z0-9+/]+={0,2}$/,
    linear: disjoint,
    units: ['=', 'a'],
  },
  {
    file: 'domain/notices/messages/address.ts',
    expression: /^[\p{L}\p{N}\p{M}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u,
    linear: oneClass,
  },
  { file: 'domain/notices/messages/address.ts', expression: /^[\x21-\x7e]+$/, linear: oneClass },
  {
    file: 'domain/notices/messages/address.ts',
    expression: /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/,
    linear: disjoint,
    units: ['a.', 'a'],
  },
  {
    file: 'domain/notices/messages/clean-text.ts',
    expression: /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu,
    linear: 'one class, and nothing follows it',
    units: ['\n'],
  },
  {
    file: 'domain/notices/messages/clean-text.ts',
    expression: /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu,
    linear: fixedWidth,
    units: ['\n', '\r'],
  },
  {
    file: 'domain/notices/messages/link.ts',
    expression: /\{(organizationId|documentId|notificationId|annotationId|commentId)\}/g,
    linear: 'fixed words after a brace',
    units: ['{', '{organizationId'],
  },
  { file: 'domain/notices/messages/markup.ts', expression: /[&<>"']/g, linear: fixedWidth, units: ['<'] },
  { file: 'platform/network/retry-after.ts', expression: /^\d{1,10}$/, linear: oneClass },
  {
    file: 'platform/senders/connection-codes.ts',
    expression: /CERT|^ERR_(?:TLS|SSL)|UNABLE_TO_(?:VERIFY|GET)/,
    linear: fixedWidth,
    units: ['CER', 'UNABLE_TO_'],
  },
  { file: 'platform/senders/provider-request.ts', expression: /^[\x21-\x7e]+$/, linear: oneClass },
  { file: 'platform/senders/provider-request.ts', expression: /^\d{1,12}$/, linear: oneClass },
  { file: 'platform/senders/slack-sender.ts', expression: /^[\w.]{1,64}$/, linear: oneClass },
  { file: 'platform/senders/slack-sender.ts', expression: /^[a-z0-9_]{1,64}$/, linear: oneClass },
  {
    file: 'platform/senders/smtp-verdict.ts',
    expression: /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})(?:\s|$)/,
    linear: oneClass,
    heads: ['550 5.1.'],
  },
];

const operators = "the operator's own configuration, read once at startup";
const ownIds = 'generated ids';
const programs = 'the output of programs that the embedded start runs';
const constants = 'constants of the source';
const apiDocument = 'the OpenAPI document';
const generated = 'the settings that the command generates';
const packages = 'files of installed packages';
const drivers = "codes and texts of PostgreSQL's errors, which the driver makes";

/** Expressions that never see input, by file and in source form, with the text that they see instead. */
export const neverOnInput: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'activities/translate-errors.ts': { '/^[A-Z0-9_]{1,20}$/': 'codes of errors of the system' },
  'api/docs/browser/elements.js': { [String.raw`/(?<=\/)/`]: 'the OpenAPI document, in the browser' },
  'api/docs/browser/samples.js': {
    [String.raw`/^[A-Za-z_$][\w$]*$/`]: 'the OpenAPI document, in the browser',
    '/-([a-z])/g': constants,
  },
  'api/docs/browser/search.js': {
    [String.raw`/\s+/`]: 'what the reader of the page types, in the browser',
  },
  'api/docs/reference-content.ts': { '/[^a-z]+/g': constants },
  'api/cross-resource/metadata.ts': { [String.raw`/\s+/`]: constants },
  'api/openapi/groups.ts': { [String.raw`/^\/v\d+\//`]: constants },
  'api/openapi/operation-id.ts': {
    [String.raw`/^organizations\/(?=(?:documents|folders|usergroups)\/)/`]: constants,
    '/[-_]([a-z])/g': constants,
  },
  'cli/client-sources/sources.ts': { [String.raw`/\b[A-Z]\w*/g`]: apiDocument },
  'cli/client-sources/type-text.ts': {
    '/(?:^|[^A-Za-z0-9]+)([a-z])?/g': apiDocument,
    [String.raw`/^[A-Za-z_$][\w$]*$/`]: apiDocument,
  },
  'cli/cluster/compose-file.ts': {
    [String.raw`/\$(?:\$|\{(\w+)(?::(?:\?[^{}]*|-([^{}]*)))?\})/g`]:
      'docker-compose.yml, which the operator may edit',
  },
  'cli/cluster/start-cluster.ts': { [String.raw`/^\w+=/`]: generated },
  'cli/commands/show-configuration.ts': { '/^[A-Z_]+=/': generated },
  'cli/doctor/check-outbound.ts': { '/[[\\]]/g': operators },
  'cli/greeting.ts': { '/[[\\]]/g': operators },
  'cli/operations/options.ts': { '/[A-Z]/g': apiDocument },
  'domain/maintenance/day-partitions.ts': { [String.raw`/_\d{8}$/`]: 'names of tables' },
  'domain/usage/usage-statements.ts': { '/[A-Z]/g': constants },
  'domain/webhooks/delivery/poison-events.ts': { '/^[0-9A-Z]{5}$/': drivers },
  'platform/senders/mail-files.ts': {
    [String.raw`/[^\w-].*$/s`]: ownIds,
    [String.raw`/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-dlv_[\w-]+\.eml$/`]: 'names of files',
  },
  'platform/senders/smtp-sender.ts': {
    [String.raw`/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/`]: operators,
    [String.raw`/^\[|\]$/g`]: operators,
  },
  'platform/config/parsers/addresses.ts': {
    [String.raw`/^(?:[\w.-]+|\[[\da-fA-F:.]+\]):(\d{1,5})$/`]: operators,
    [String.raw`/^[\w.-]+$/`]: operators,
    [String.raw`/^([^/]+)\/(\d{1,3})$/`]: operators,
  },
  'platform/config/parsers/amounts.ts': {
    [String.raw`/^\d{1,15}$/`]: operators,
    [String.raw`/^(\d{1,6})([a-z]+)$/`]: operators,
    [String.raw`/^(\d{1,12})(KiB|MiB|GiB)?$/`]: operators,
  },
  'platform/config/parsers/encryption-keys.ts': {
    [String.raw`/^([\w.-]{1,64}):([A-Za-z0-9+/_-]+={0,2})$/`]: operators,
  },
  'platform/config/parsers/mail.ts': {
    [String.raw`/^([^=\s]{1,253})(?:=([\w-]{1,100}))?$/`]: operators,
    '/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/': operators,
    "/^([\\w.!#$%&'*+/=?^`{|}~-]{1,64})@([^@]{1,253})$/": operators,
  },
  'platform/config/parsers/model-families.ts': {
    [String.raw`/^([A-Za-z0-9._:-]{1,100})=(openai|anthropic|gemini)(\/one-message)?$/`]: operators,
  },
  'platform/config/parsers/texts.ts': {
    [String.raw`/^[\x21-\x7e]+$/`]: operators,
    [String.raw`/^[\w.+-]{1,100}$/`]: operators,
  },
  'platform/config/unknown-variables.ts': { [String.raw`/^\w+$/`]: operators },
  'platform/database/failures.ts': {
    [String.raw`/Connection terminated|timeout exceeded when trying to connect|timeout expired|not queryable|Client was closed|Query read timeout|Received unexpected \w+ message from backend|after calling end on the pool/`]:
      drivers,
    [String.raw`/^(57P\d\d|25P01|25P03|25P04)$/`]: drivers,
    '/^(08|53|58)/': drivers,
  },
  'platform/tracing/statement-spans.ts': { [String.raw`/^\s*(\w+)/`]: constants },
  'local/install-when-stale.mjs': {
    [String.raw`/\.tgz(\s|$)/`]: programs,
    [String.raw`/^npm (warn|notice|info)\b/i`]: programs,
  },
  'local/provide-node.mjs': { [String.raw`/^npm error (?:code )?(.+)/`]: programs },
  'local/mounts.ts': { [String.raw`/\\([0-7]{3})/g`]: 'the table of mounts of the system' },
  'local/postgres-binaries.ts': {
    [String.raw`/"version": *"([\w.-]+)"/`]: packages,
    [String.raw`/"source":"native\/([^"]+)","target":"native\/([^"]+)"/g`]: packages,
  },
  'local/postgres-cluster.ts': {
    [String.raw`/\W/g`]: 'the path of Steward’s folder',
    [String.raw`/^\w[\w-]*$/`]: programs,
  },
  'local/postgres.ts': {
    '/Address already in use|pre-existing shared memory block|lock file ".*" already exists/': programs,
  },
  'local/processes.ts': { [String.raw`/\s+/`]: programs },
  'local/run-command.ts': {
    [String.raw`/[\r\n]+/`]: programs,
    [String.raw`/\b(fatal|panic|error|could not|no space|denied|failed)\b/i`]: programs,
    [String.raw`/^.*?\b(FATAL|PANIC|ERROR|error):\s*/i`]: programs,
  },
  'local/temporal-sources.ts': {
    [String.raw`/version (\d+)\.(\d+)/`]: programs,
    '/^temporal/': packages,
    [String.raw`/\.whl$/`]: packages,
    'new RegExp': packages,
  },
  'local/temporal.ts': { '/address already in use|database is locked/i': programs },
  'platform/temporal/search-attributes.ts': {
    '/search attribute/i': "texts of Temporal's errors",
    [String.raw`/Steward\w+/`]: "texts of Temporal's errors",
  },
};
