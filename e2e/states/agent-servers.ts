import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const peer = (name: string) => resolve(`src/testing/mcp-peers/${name}-server.mjs`);

export interface ServerPlace {
  readonly home: string;
  readonly project: string;
}

/** What the changing server declares from its next start on. */
export function describeScales({ home }: ServerPlace, description: string): void {
  writeFileSync(join(home, 'scales.json'), JSON.stringify({ description, field: 'thing' }));
}

/**
 * Servers of the user's own beside those of the seed, allowed in the project: `gallery` (trusted), `wire` (the same program,
 * not trusted), `scales` (trusted; says of itself what a file says).
 */
export function addAgentServers(place: ServerPlace): void {
  const { home, project } = place;
  describeScales(place, 'Weighs a thing.');
  const run = (name: string, ...args: readonly string[]) => ({
    command: process.execPath,
    args: [peer(name), ...args],
  });
  const mcpServers = {
    project: { bundled: 'project', trusted: true },
    filesystem: { bundled: 'filesystem', trusted: true },
    gallery: { ...run('gallery'), trusted: true },
    wire: run('gallery'),
    scales: { ...run('changing', join(home, 'scales.json')), trusted: true },
  };
  mkdirSync(join(home, 'mcp'), { recursive: true });
  writeFileSync(join(home, 'mcp/registry.json'), JSON.stringify({ mcpServers }));
  const allow = ['project', 'filesystem', 'gallery', 'wire', 'scales'].map((name) => `mcp://${name}.*`);
  mkdirSync(join(project, '.patina'), { recursive: true });
  writeFileSync(join(project, '.patina/capabilities.json'), JSON.stringify({ allow }));
}
