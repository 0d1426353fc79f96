import { describe, expect, it } from 'vitest';
import { applyEvents } from './apply-event';
import { chatSourceOf, createSkipCounter, importChat, type ImportedChat } from './chat-import';
import type { SessionEvent } from './session-event';
import { emptySession, turnAt, type SessionState } from './session-state';
import { activePath, parentOf } from './turn-tree';

type Node = { id: string; parent: string | null; message?: unknown };

const said = (role: string, text: string, more: object = {}) => ({
  author: { role },
  create_time: 1_700_000_000,
  content: { content_type: 'text', parts: [text] },
  ...more,
});
const node = (id: string, parent: string | null, message?: unknown): Node => ({ id, parent, message });
const gpt = (nodes: readonly Node[], more: object = {}) => ({
  conversation_id: 'c-1',
  title: 'A chat',
  create_time: 1_690_000_000,
  mapping: Object.fromEntries(nodes.map((each) => [each.id, each])),
  ...more,
});

function read(source: 'chatgpt' | 'claude', value: unknown) {
  const counter = createSkipCounter();
  return { chat: importChat(source, value, counter.skip), skipped: counter.counted() };
}

function stateOf(chat: ImportedChat | null): SessionState {
  const facts = chat?.facts ?? [];
  const events = facts.map(({ fact, at }, index): SessionEvent => ({
    sessionId: 's',
    seq: index + 1,
    v: 1,
    at,
    ...fact,
  }));
  return applyEvents(emptySession('s'), events);
}

const lines = (state: SessionState) => activePath(state).map(({ text, reply }) => [text, reply?.text]);

describe('[IMPORT-chatgpt] an export of ChatGPT', () => {
  it('takes the time of the conversation in place of one that no date has', () => {
    const late = said('user', 'Hello', { create_time: 1e16 });
    const state = stateOf(read('chatgpt', gpt([node('u', null, late)])).chat);
    expect(turnAt(state, 0)?.at).toBe(1_690_000_000_000);
  });

  it('becomes lines and replies with their times and models', () => {
    const { chat, skipped } = read(
      'chatgpt',
      gpt([
        node('root', null),
        node('u1', 'root', said('user', 'Hello')),
        node('a1', 'u1', said('assistant', 'Hi.', { metadata: { model_slug: 'gpt-x' } })),
        node('u2', 'a1', said('user', 'More')),
        node('a2', 'u2', said('assistant', 'Sure.')),
      ]),
    );
    const state = stateOf(chat);
    expect(lines(state)).toEqual([
      ['Hello', 'Hi.'],
      ['More', 'Sure.'],
    ]);
    expect(state).toMatchObject({ title: 'A chat', createdAt: 1_690_000_000_000 });
    expect(turnAt(state, 0)).toMatchObject({
      at: 1_700_000_000_000,
      reply: { providerName: 'ChatGPT', status: 'done', model: { providerId: '', model: 'gpt-x' } },
    });
    expect(skipped).toEqual([]);
  });

  it('keeps edited lines and regenerated replies as branches, and the user’s position', () => {
    const { chat } = read(
      'chatgpt',
      gpt(
        [
          node('u1', null, said('user', 'Question')),
          node('a1', 'u1', said('assistant', 'First answer')),
          node('a2', 'u1', said('assistant', 'Second answer')),
          node('u2', 'a1', said('user', 'After the first')),
          node('b2', 'u2', said('assistant', 'Yes')),
          node('u3', 'a2', said('user', 'After the second')),
          node('b3', 'u3', said('assistant', 'No')),
        ],
        { current_node: 'b2' },
      ),
    );
    const state = stateOf(chat);
    expect(state.turnCount).toBe(4);
    expect(lines(state)).toEqual([
      ['Question', 'First answer'],
      ['After the first', 'Yes'],
    ]);
    const second = state.blocks.flat().find(({ reply }) => reply?.text === 'Second answer');
    const first = state.blocks.flat().find(({ reply }) => reply?.text === 'First answer');
    expect(second?.regenerates).toBe(first?.turn);
    expect(second && parentOf(second)).toBe(-1);
    const after = state.blocks.flat().find(({ text }) => text === 'After the second');
    expect(after && parentOf(after)).toBe(second?.turn);
  });

  it('joins the parts of a reply around tool calls, and counts omitted parts', () => {
    const { chat, skipped } = read(
      'chatgpt',
      gpt([
        node('s', null, said('system', 'Be kind')),
        node('u', 's', {
          author: { role: 'user' },
          content: {
            content_type: 'multimodal_text',
            parts: [{ content_type: 'image_asset_pointer' }, 'What is this?'],
          },
        }),
        node('t', 'u', { author: { role: 'assistant' }, content: { content_type: 'thoughts' } }),
        node('a', 't', said('assistant', 'Let me look.')),
        node('c', 'a', said('assistant', 'search()', { recipient: 'browser' })),
        node('r', 'c', said('tool', 'result')),
        node('b', 'r', said('assistant', 'A cat.')),
      ]),
    );
    expect(lines(stateOf(chat))).toEqual([['What is this?', 'Let me look.\n\nA cat.']]);
    expect(Object.fromEntries(skipped.map(({ what, count }) => [what, count]))).toEqual({
      'system message': 1,
      picture: 1,
      thinking: 1,
      'tool call': 1,
      'tool result': 1,
    });
  });

  it('shows a line without a reply as stopped: history does not call for the user', () => {
    const { chat } = read('chatgpt', gpt([node('u', null, said('user', 'Anyone?'))]));
    expect(turnAt(stateOf(chat), 0)?.reply).toMatchObject({ status: 'stopped', text: '' });
  });

  it('has regenerated replies in the order of their times, whatever the order in the file', () => {
    const { chat } = read(
      'chatgpt',
      gpt([
        node('late', 'u', said('assistant', 'Second', { create_time: 1_700_000_002 })),
        node('early', 'u', said('assistant', 'First', { create_time: 1_700_000_001 })),
        node('u', null, said('user', 'Question')),
      ]),
    );
    expect(
      stateOf(chat)
        .blocks.flat()
        .map(({ reply }) => reply?.text),
    ).toEqual(['First', 'Second']);
  });

  it('leaves out what ChatGPT does not show, and counts it', () => {
    const hidden = { metadata: { is_visually_hidden_from_conversation: true } };
    const { chat, skipped } = read(
      'chatgpt',
      gpt([
        node('h', null, said('user', 'About the project', hidden)),
        node('u', 'h', said('user', 'Hello')),
        node('n', 'u', said('assistant', 'Notes', hidden)),
        node('a', 'n', said('assistant', 'Hi.')),
      ]),
    );
    expect(lines(stateOf(chat))).toEqual([['Hello', 'Hi.']]);
    expect(skipped).toEqual([{ what: 'hidden message', count: 2 }]);
  });

  it('writes the places that ChatGPT draws as their text, and removes those without one', () => {
    const cited = '\ue200cite\ue202turn0search1\ue201';
    const plain = '\ue200cite\ue202turn0search9\ue201';
    const metadata = { content_references: [{ matched_text: cited, alt: '([Site](https://a.example))' }] };
    const { chat } = read(
      'chatgpt',
      gpt([
        node('u', null, said('user', 'Where?')),
        node('a', 'u', said('assistant', `Here ${cited}. There ${plain}.`, { metadata })),
      ]),
    );
    expect(lines(stateOf(chat))).toEqual([['Where?', 'Here ([Site](https://a.example)). There.']]);
  });

  it('names what a line consists of when that cannot be imported', () => {
    const content = { content_type: 'multimodal_text', parts: [{ content_type: 'image_asset_pointer' }] };
    const attachments = [{ mime_type: 'image/png' }, { mime_type: 'application/pdf' }];
    const line = said('user', '', { content, metadata: { attachments } });
    const { chat, skipped } = read('chatgpt', gpt([node('u', null, line)]));
    expect(turnAt(stateOf(chat), 0)?.text).toBe('[picture] [file]');
    expect(skipped).toEqual([
      { what: 'picture', count: 1 },
      { what: 'file', count: 1 },
    ]);
  });

  it('counts an unreadable message, and reads the others', () => {
    const { chat, skipped } = read(
      'chatgpt',
      gpt([
        node('u', null, said('user', 'Hello')),
        node('odd', 'u', { author: { role: 'assistant' }, content: null }),
        node('a', 'odd', said('assistant', 'Hi.')),
      ]),
    );
    expect(lines(stateOf(chat))).toEqual([['Hello', 'Hi.']]);
    expect(skipped).toEqual([{ what: 'unreadable message', count: 1 }]);
  });

  it('reads a chain of 100,000 messages, and skips a cycle', () => {
    const chain = Array.from({ length: 100_000 }, (_, index) =>
      node(`n${index}`, index === 0 ? null : `n${index - 1}`, said(index % 2 ? 'assistant' : 'user', 'x')),
    );
    expect(read('chatgpt', gpt(chain)).chat?.turns).toBe(50_000);
    const cycle = [node('a', 'b', said('user', 'x')), node('b', 'a', said('assistant', 'y'))];
    expect(read('chatgpt', gpt(cycle))).toEqual({
      chat: null,
      skipped: [{ what: 'empty conversation', count: 1 }],
    });
  });

  it('counts unreadable conversations', () => {
    expect(read('chatgpt', { mapping: { a: 3 } })).toEqual({
      chat: null,
      skipped: [{ what: 'unreadable conversation', count: 1 }],
    });
  });
});

const claudeSaid = (uuid: string, sender: string, text: string, more: object = {}) => ({
  uuid,
  sender,
  created_at: '2024-05-01T10:00:00Z',
  content: [{ type: 'text', text }],
  ...more,
});
const claudeChat = (chat_messages: readonly unknown[], more: object = {}) => ({
  uuid: 'c-2',
  name: 'Talk',
  created_at: '2024-04-30T10:00:00Z',
  chat_messages,
  ...more,
});

describe('[IMPORT-claude] an export of Claude', () => {
  it('reads a plain list of messages, with the text of attachments', () => {
    const { chat, skipped } = read(
      'claude',
      claudeChat([
        claudeSaid('1', 'human', 'Read this', {
          attachments: [{ file_name: 'a.txt', extracted_content: 'code ``` here' }],
          files: [{ file_name: 'p.png' }],
        }),
        claudeSaid('2', 'assistant', 'Done.', {
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: 'Done.' },
          ],
        }),
      ]),
    );
    expect(lines(stateOf(chat))).toEqual([['Read this\n\na.txt:\n\n````\ncode ``` here\n````', 'Done.']]);
    expect(stateOf(chat).createdAt).toBe(Date.parse('2024-04-30T10:00:00Z'));
    expect(skipped).toEqual([
      { what: 'file', count: 1 },
      { what: 'thinking', count: 1 },
    ]);
  });

  it('counts parts and messages of any kind, and reads the others', () => {
    const content = [{ type: 'constructor' }, { type: '__proto__' }, { type: 'text', text: 'Hello' }];
    const { chat, skipped } = read(
      'claude',
      claudeChat([
        claudeSaid('1', 'human', '', { content }),
        claudeSaid('2', 'assistant', '', { content: 'odd' }),
        claudeSaid('3', 'assistant', 'Hi.'),
      ]),
    );
    expect(lines(stateOf(chat))).toEqual([['Hello', 'Hi.']]);
    expect(skipped).toEqual([
      { what: 'other part', count: 2 },
      { what: 'unreadable message', count: 1 },
    ]);
  });

  it('keeps branches when messages name their parents', () => {
    const root = '00000000-0000-4000-8000-000000000000';
    const { chat } = read(
      'claude',
      claudeChat(
        [
          claudeSaid('1', 'human', 'Old line', { parent_message_uuid: root }),
          claudeSaid('2', 'assistant', 'Old reply', { parent_message_uuid: '1' }),
          claudeSaid('3', 'human', 'New line', { parent_message_uuid: root }),
          claudeSaid('4', 'assistant', 'New reply', { parent_message_uuid: '3' }),
        ],
        { current_leaf_message_uuid: '4' },
      ),
    );
    expect(stateOf(chat).turnCount).toBe(2);
    expect(lines(stateOf(chat))).toEqual([['New line', 'New reply']]);
  });
});

it('[IMPORT-chatgpt] [IMPORT-claude] recognises each app by its conversations', () => {
  expect(chatSourceOf([gpt([])])).toBe('chatgpt');
  expect(chatSourceOf([claudeChat([])])).toBe('claude');
  expect(chatSourceOf([{ messages: [] }, 3, null])).toBeNull();
});
