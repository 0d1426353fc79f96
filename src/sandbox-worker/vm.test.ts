import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PrepareVm, Vm, VmHost } from './vm';
import { loadWasiVm } from './vm-wasi';
import { takeTemplate } from './wasi-template';

const require = createRequire(import.meta.url);
const SHA256 = 'd4c9375f2b1ca4dc95f72c8aa2982a7a9951ac8011490d79c6582df732b4bbd9';

const wrap = (body: string): string =>
  `(async function (tools, params, inputs, artifacts, log) {\n${body}\n})`;
const UNIT =
  '{"tools":[{"uri":"mcp://a.b","server":"a","tool":"b"}],"params":{"n":1},"inputs":{},"resultChars":1000}';

describe('the engine', () => {
  let prepare: PrepareVm;
  beforeAll(async () => {
    prepare = await loadWasiVm(takeTemplate);
  });

  /** Opens a separate VM and records its guest's messages; by default nothing interrupts it. */
  async function open(more: Partial<VmHost> = {}) {
    const said: [string, string][] = [];
    const prepared = await prepare();
    const onOutput = (what: string, text: string): void => void said.push([what, text]);
    const vm = await prepared.open({ memMb: 32, interrupt: () => false, onOutput, ...more });
    return { vm, said };
  }
  const run = (vm: Vm, body: string): void => {
    vm.start(wrap(body), 'script.js', UNIT);
    vm.runJobs(() => false);
  };

  it('[BOX-pinned] is the reviewed binary', () => {
    expect(
      createHash('sha256')
        .update(readFileSync(require.resolve('quickjs-wasi/quickjs.wasm')))
        .digest('hex'),
    ).toBe(SHA256);
  });

  it('[BOX-json-only] exchanges nothing but text', async () => {
    const { vm, said } = await open();
    run(vm, "const got = await tools.a.b({ text: 'a\\0\\ud800ü' }); return { summary: got.text + params.n }");
    expect(said).toEqual([
      [
        'call',
        expect.stringContaining('"tool":"mcp://a.b","json":"{\\"text\\":\\"a\\\\u0000\\\\ud800ü\\"}"'),
      ],
    ]);
    vm.completeCall(1, true, '{"text":"a\\u0000\\ud800ü"}');
    vm.runJobs(() => false);
    expect(said[1]?.[0]).toBe('done');
    expect(JSON.parse(said[1]?.[1] ?? '')).toEqual({ summary: 'a\0\ud800ü1', state: {}, artifacts: null });
  });

  it('[REC-fmt] formats counts, sizes and long texts for every script', async () => {
    const { vm, said } = await open();
    run(
      vm,
      `const texts = [fmt.count(1, 'file', 'files'), fmt.count(2, 'file', 'files'), fmt.bytes(1), fmt.bytes(999),
         fmt.bytes(1000), fmt.bytes(1234567), fmt.bytes(5e15), fmt.fit('src', 30), fmt.fit('a/very/long/path.ts', 4),
         fmt.fit('', 3), fmt.fit('路径', 4), String(fmt.tokens('ab1/路')), String(Object.isFrozen(fmt))];
       return { summary: texts.join('|').replaceAll('\u00A0', ' ') };`,
    );
    const texts = '1 file|2 files|1 byte|999 bytes|1.0 kB|1.2 MB|5000.0 TB|src|…path.ts||…径|6.7|true';
    expect(JSON.parse(said[0]?.[1] ?? '')).toMatchObject({ summary: texts });
  });

  it('[REC-fmt] yields the name to a script that declares it', async () => {
    const { vm, said } = await open();
    run(vm, 'const fmt = (n) => `${n}!`; return { summary: fmt(1) }');
    expect(JSON.parse(said[0]?.[1] ?? '')).toMatchObject({ summary: '1!' });
  });

  it('[BOX-fresh] shares nothing between units', async () => {
    const first = await open();
    run(first.vm, "globalThis.left = 1; Array.prototype.left = 1; return { summary: 'x' }");
    const second = await open();
    run(second.vm, 'return { summary: typeof globalThis.left + typeof [].left }');
    expect(second.said).toEqual([['done', '{"summary":"undefinedundefined","state":{},"artifacts":null}']]);
  });

  it('reports unreadable code and its position', async () => {
    const { vm } = await open();
    const wrong = vm.start(wrap('let x = 1;\nlet x = 2;'), 'script.js', UNIT);
    expect(wrong?.name).toBe('SyntaxError');
    expect(wrong?.stack).toContain('script.js:3');
  });

  it.each(['for (;;) ;', 'const f = () => Promise.resolve().then(f); f()', 'for (;;) await null'])(
    '[BOX-limits] %s is interrupted on request of the host',
    async (body) => {
      let asked = 0;
      const { vm } = await open({ interrupt: () => (asked += 1) > 3 });
      const jobs = (): void => {
        vm.start(wrap(body), 'script.js', UNIT);
        vm.runJobs(() => asked > 3 || (asked += 0.001) > 3);
      };
      try {
        jobs();
      } catch {
        // The engine may throw when it is interrupted inside a job.
      }
      expect(asked).toBeGreaterThan(3);
    },
  );

  it("[BOX-limits] limits a machine's memory to its unit's budget", async () => {
    const { vm, said } = await open({ memMb: 16 });
    run(vm, 'const kept = []; for (;;) kept.push(new Uint8Array(1e6))');
    expect(vm.memMb()).toBeLessThanOrEqual(18);
    expect(said).toEqual([['fail', expect.stringContaining('out of memory')]]);
    const larger = await open({ memMb: 64 });
    run(larger.vm, 'const kept = new Uint8Array(3e7); return { summary: String(kept.length) }');
    expect(larger.said).toEqual([['done', expect.stringContaining('30000000')]]);
  });
});
