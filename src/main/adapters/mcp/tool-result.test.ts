import type { CallToolResult } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { attachmentsIn } from '#shared/attachment';
import { toolResult } from './tool-result';

const handle = `artifact://sha256/${'a'.repeat(64)}`;
const image = { type: 'image' as const, mimeType: 'image/png', data: 'aGVsbG8h' };
const link = { type: 'resource_link' as const, uri: 'file:///a.txt', name: 'a' };
const text = { type: 'text' as const, text: '{"n":1}' };

function read(result: CallToolResult, keep: () => string | null = () => handle) {
  const made = toolResult('mcp://x.y', result, keep);
  if (!made.ok) throw new Error(made.error.message);
  return made.value;
}

describe('[MCP-content] content beside structured content', () => {
  it('is stored with it, and is not validated against its schema', () => {
    const { value, declared } = read({ content: [text, image, link], structuredContent: { n: 1 } });
    expect(declared).toEqual({ n: 1 });
    expect(value).toMatchObject({ n: 1, attachments: [{ artifact: handle }, { uri: 'file:///a.txt' }] });
    expect(attachmentsIn(value).map(({ type }) => type)).toEqual(['image', 'link']);
  });

  it('does not replace a key that the server uses', () => {
    const { value } = read({ content: [image], structuredContent: { attachments: ['mine'] } });
    expect(value).toMatchObject({ attachments: ['mine'], resultAttachments: [{ artifact: handle }] });
    expect(attachmentsIn(value).map(({ type }) => type)).toEqual(['image']);
  });

  it('is reported as lost when it could not be stored', () => {
    const { value } = read({ content: [image], structuredContent: { n: 1 } }, () => null);
    expect(JSON.stringify(value)).toContain('could not be stored');
  });

  it('is not stored when it is only text', () => {
    expect(read({ content: [text], structuredContent: { n: 1 } }).value).toEqual({ n: 1 });
    expect(read({ content: [text, link] }).value).toMatchObject({ text: '{"n":1}' });
  });
});
