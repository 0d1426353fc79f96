import { describe, expect, it } from 'vitest';
import type { ResolverItem } from '#shared/resolver';
import { ok } from '#shared/result';
import { emptySession, type SessionState } from '#shared/session-state';
import { contextOf } from '../../testing/ddr-harness';
import type { OutgoingMail } from '../ports/outbox';
import { createSendEmailTool, readTemplate } from './send-email';

const item = (id: string, displayName: string, content?: string): ResolverItem => ({
  header: { id, displayName },
  aliases: [],
  keywords: [],
  ...(content !== undefined && { content }),
});
const items = new Map([
  ['email_templates/TPL-123', item('TPL-123', 'Q1 CFO Outreach', 'Subject: Your quarter\n\nHello.')],
  ['email_templates/TPL-1', item('TPL-1', 'Empty')],
  ['mailer_lists/LIST-9', item('LIST-9', 'Q1 pilot list')],
]);

const focusOn = (id: string, entityType = 'email_template'): SessionState['context'] => ({
  entityType,
  entityHeader: { id, displayName: 'old name' },
});

async function send(context: SessionState['context'], mailerListId = 'LIST-9') {
  const sent: OutgoingMail[] = [];
  const tool = createSendEmailTool({
    state: (id) => ({ ...emptySession(id), context }),
    find: (_state, source, id) => {
      const found = items.get(`${'catalogId' in source ? source.catalogId : ''}/${id}`);
      return found && { item: found };
    },
    outbox: { put: (mail) => Promise.resolve(ok({ file: `${sent.push(mail)}.eml` })) },
    senderName: () => 'Ada',
  });
  const result = await tool.execute(JSON.stringify({ mailerListId }), contextOf('user'));
  return { tool, sent, result };
}

describe('send_email', () => {
  it('[MAIL-focus] sends the template in focus, by its identity and with its current content', async () => {
    const { sent, result, tool } = await send(focusOn('TPL-123'));
    expect(sent).toEqual([
      {
        senderName: 'Ada',
        list: { id: 'LIST-9', displayName: 'Q1 pilot list' },
        template: { id: 'TPL-123', displayName: 'Q1 CFO Outreach' },
        subject: 'Your quarter',
        text: 'Hello.',
      },
    ]);
    const told = JSON.parse(result.ok ? result.value : '{}') as unknown;
    expect(told).toMatchObject({ success: true, file: 'outbox/1.eml' });
    expect(tool).toMatchObject({ name: 'send_email', commandOnly: true });
  });

  it.each([
    ['no focus', null, 'LIST-9', { code: 'STATE', words: 'not working on an email template' }],
    [
      'another kind of focus',
      focusOn('TPL-123', 'persona'),
      'LIST-9',
      { code: 'STATE', words: 'not working on an email template' },
    ],
    ['a list that is not there', focusOn('TPL-123'), 'LIST-0', { code: 'NOT_FOUND', words: 'LIST-0' }],
    ['a template that is gone', focusOn('TPL-9'), 'LIST-9', { code: 'NOT_FOUND', words: 'TPL-9' }],
    ['a template without a text', focusOn('TPL-1'), 'LIST-9', { code: 'STATE', words: 'has no text' }],
  ])(
    '[MAIL-focus] writes nothing with %s, and says what to do',
    async (_name, focus, list, { code, words }) => {
      const { sent, result } = await send(focus, list);
      expect(sent).toEqual([]);
      expect(result).toMatchObject({
        ok: false,
        error: {
          kind: 'HOST',
          code,
          message: expect.stringContaining(words) as string,
          hint: expect.any(String) as string,
        },
      });
    },
  );

  it('uses the template’s name as the subject without a subject line', () => {
    expect(readTemplate(item('T', 'Name', 'Hello\r\nyou'))).toEqual({ subject: 'Name', text: 'Hello\nyou' });
    expect(readTemplate(item('T', 'Name', 'SUBJECT:  Hi \n\n\nyou'))).toEqual({ subject: 'Hi', text: 'you' });
    expect(readTemplate(item('T', 'Name', ' \n'))).toBeNull();
  });
});
