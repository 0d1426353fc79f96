import { appError } from '#shared/app-error';
import type { ResolverItem, ResolverSource } from '#shared/resolver';
import { err, ok, type Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { BuiltInTool } from '../ports/built-in-tool';
import type { OutgoingMail, Outbox } from '../ports/outbox';

export interface SendEmailDeps {
  readonly state: (sessionId: string) => SessionState | null;
  readonly find: (
    state: SessionState,
    source: ResolverSource,
    id: string,
  ) => { readonly item: ResolverItem } | undefined;
  readonly outbox: Outbox;
  readonly senderName: () => string;
}

const templates = { type: 'email_template', source: { catalogId: 'email_templates' } };
const lists: ResolverSource = { catalogId: 'mailer_lists' };
const subjectLine = /^subject:[ \t]*([^\n]+)\n*/i;

/** Splits a template into subject and text: the subject is its `Subject:` line, else its name. */
export function readTemplate(item: ResolverItem): { readonly subject: string; readonly text: string } | null {
  const content = item.content?.replaceAll(/\r\n?/g, '\n').trim() ?? '';
  if (content === '') return null;
  const subject = subjectLine.exec(content);
  const text = subject ? content.slice(subject[0].length) : content;
  return { subject: subject?.[1]?.trim() || item.header.displayName, text };
}

const notFound = (message: string, hint: string) => err(appError('HOST', 'NOT_FOUND', message, { hint }));
const notNow = (message: string, hint: string) => err(appError('HOST', 'STATE', message, { hint }));

/** Composes the message to a list from the session's active template. */
function composeMail(deps: SendEmailDeps, sessionId: string | null, listId: string): Result<OutgoingMail> {
  const state = sessionId === null ? null : deps.state(sessionId);
  const focus = state?.context;
  if (!state || focus?.entityType !== templates.type || !focus.entityHeader) {
    return notNow(
      'You are not working on an email template, so nothing was sent.',
      'Choose a template first.',
    );
  }
  const list = deps.find(state, lists, listId);
  if (!list) return notFound(`There is no mailer list "${listId}".`, 'Choose one from the mailer lists.');
  const template = deps.find(state, templates.source, focus.entityHeader.id);
  if (!template) {
    const message = `The template ${focus.entityHeader.id} is not in the catalog any more.`;
    return notFound(message, 'Choose another template.');
  }
  const written = readTemplate(template.item);
  if (!written) {
    const name = template.item.header.displayName;
    return notNow(`The template "${name}" has no text, so nothing was sent.`, 'Give it a text ("content").');
  }
  return ok({
    senderName: deps.senderName(),
    list: list.item.header,
    template: template.item.header,
    ...written,
  });
}

/** `send_email`: writes the active template as a message to a mailer list into the outbox (AGN-000037 §9, Flow D). */
export function createSendEmailTool(deps: SendEmailDeps): BuiltInTool {
  return {
    name: 'send_email',
    isToolFullyExecutedOnServer: true,
    commandOnly: true,
    needsSession: true,
    toolUsageMetadata: 'Writes the email template in focus as a message to a mailer list into the outbox.',
    schema: {
      type: 'object',
      properties: { mailerListId: { type: 'string' } },
      required: ['mailerListId'],
      additionalProperties: false,
    },
    async execute(argumentsJson, { sessionId }) {
      const { mailerListId } = JSON.parse(argumentsJson) as { readonly mailerListId: string };
      const mail = composeMail(deps, sessionId, mailerListId);
      if (!mail.ok) return mail;
      const put = await deps.outbox.put(mail.value);
      if (!put.ok) return put;
      const { template, list } = mail.value;
      const summary = `Written for ${list.displayName}: ${template.displayName} (outbox/${put.value.file})`;
      return ok(JSON.stringify({ success: true, summary, file: `outbox/${put.value.file}` }));
    },
  };
}
