import type { WireName } from '#shared/model';
import { anthropicWire } from './anthropic/wire';
import { chatWire } from './chat/wire';
import { responsesWire } from './responses/wire';
import type { Wire } from './wire';

export const wires: Readonly<Record<WireName, Wire>> = {
  chat: chatWire,
  responses: responsesWire,
  anthropic: anthropicWire,
};

/** The protocol that an address reveals; most servers that reveal nothing speak chat completions. */
export function detectWire(baseUrl: string): WireName {
  const { hostname, pathname } = new URL(baseUrl);
  if (hostname === 'api.openai.com') return 'responses';
  if (hostname === 'api.anthropic.com' || /\/anthropic(\/|$)/.test(pathname)) return 'anthropic';
  return 'chat';
}
