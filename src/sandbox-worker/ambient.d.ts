// Declares the host APIs that the worker uses beyond ECMAScript and Node, so that it compiles without the
// DOM.
declare module '*?url&inline' {
  const dataUrl: string;
  export default dataUrl;
}

/** The result of a module's `prepare` at build time. */
declare module '*?prepared' {
  const prepared: unknown;
  export default prepared;
}

declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]?: string;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  const Memory: new (limits: { initial: number; maximum?: number }) => Memory;
  interface Global {
    value: unknown;
  }
  interface Table {
    readonly length: number;
  }
  interface Instance {
    readonly exports: object;
  }
  function compile(bytes: Uint8Array<ArrayBuffer>): Promise<Module>;
}
