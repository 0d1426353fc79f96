import type { Capabilities } from '#shared/capabilities';
import { patternNames } from './tool-pattern';

/** Whether the manifest allows any call of a tool, whatever its arguments. */
export function isAllowed({ allow, deny }: Capabilities, uri: string): boolean {
  const denied = deny.some((pattern) => !pattern.includes('?') && patternNames(pattern, uri));
  return !denied && allow.some((pattern) => patternNames(pattern, uri));
}

/** Switches one tool on or off with a line of its own; broader lines stay unchanged. */
export function switchTool(capabilities: Capabilities, uri: string, on: boolean): Capabilities {
  const deny = capabilities.deny.filter((pattern) => pattern !== uri);
  if (!on) return { ...capabilities, deny: [...deny, uri] };
  const known = capabilities.allow.some((pattern) => patternNames(pattern, uri));
  return { ...capabilities, deny, allow: known ? capabilities.allow : [...capabilities.allow, uri] };
}

/** Allows every tool of a server in the manifest. */
export function allowServer(capabilities: Capabilities, server: string): Capabilities {
  const line = `mcp://${server}.*`;
  if (capabilities.allow.includes(line)) return capabilities;
  return { ...capabilities, allow: [...capabilities.allow, line] };
}

/** Removes the manifest lines of a removed server; lines that also match other servers stay. */
export function forgetServer(capabilities: Capabilities, server: string): Capabilities {
  const others = (pattern: string): boolean => !pattern.startsWith(`mcp://${server}.`);
  const { allow, deny, write, rateLimits, dataFlows } = capabilities;
  return {
    allow: allow.filter(others),
    deny: deny.filter(others),
    write: write.filter(others),
    dataFlows: dataFlows.filter(({ from, to }) => from !== server && to !== server),
    rateLimits: Object.fromEntries(Object.entries(rateLimits).filter(([pattern]) => others(pattern))),
  };
}
