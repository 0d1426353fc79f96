/**
 * The few globals that all our runtimes (Node 20, Electron, Chromium) share and the core may use, although it
 * is compiled without DOM and Node types. None of them reads a clock, an environment, a disk or a network.
 */

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(
    type: 'abort',
    listener: () => void,
    options?: { once?: boolean; signal?: AbortSignal },
  ): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
declare const AbortSignal: {
  abort(reason?: unknown): AbortSignal;
  any(signals: Iterable<AbortSignal>): AbortSignal;
};

interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare const AbortController: new () => AbortController;

interface TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>;
}
declare const TextEncoder: new () => TextEncoder;

interface TextDecoder {
  decode(input?: Uint8Array, options?: { stream?: boolean }): string;
}
declare const TextDecoder: new (
  label?: 'utf-8',
  options?: { fatal?: boolean; ignoreBOM?: boolean },
) => TextDecoder;

interface URL {
  readonly href: string;
  readonly origin: string;
  readonly protocol: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
  readonly username: string;
  readonly password: string;
  toString(): string;
}
declare const URL: {
  new (url: string, base?: string | URL): URL;
  canParse(url: string, base?: string): boolean;
};

declare function structuredClone<T>(value: T): T;
declare function queueMicrotask(callback: () => void): void;
