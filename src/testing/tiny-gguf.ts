import { createHash } from 'node:crypto';
import type { OfferedModel } from '#shared/local-model';

// A GGUF file of a llama with random weights: a real format for a real library, and nonsense words.

const [layers, width, heads, feed, context] = [2, 96, 4, 192, 8_192];
const kinds = { u32: 4, f32: 6, bool: 7, text: 8, array: 9, i32: 5 } as const;

const bytes = Array.from({ length: 256 }, (_, n) => `<0x${n.toString(16).toUpperCase().padStart(2, '0')}>`);
const syllables = ['ba', 'ko', 'ri', 'tu', 'me', 'la', 'no', 'si', 'vu', 'de'];
const made = Array.from(
  { length: 1_024 },
  (_, n) => `▁${syllables[n % 10]}${syllables[Math.floor(n / 10) % 10]}${n.toString(36)}`,
);
const letters = [...'abcdefghijklmnopqrstuvwxyz'];
/** A word that only this model writes. */
export const tinyWord = new RegExp(`(?:${syllables.join('|')}){2}[a-z0-9]?[0-9]`);
/** Pairs of letters halve the tokens of a prompt. */
const pairs = [...letters, '▁'].flatMap((first) => letters.map((second) => first + second));
const words = ['<unk>', '<s>', '</s>', ...bytes, ...pairs, ...made];

const template =
  "{% for m in messages %}{{ m['role'] + ': ' + m['content'] + '\n' }}{% endfor %}{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}";

/** The type of a word: unknown, control, byte or normal. */
function wordType(word: string): number {
  if (word === '<unk>') return 2;
  if (word === '<s>' || word === '</s>') return 3;
  return word.startsWith('<0x') ? 6 : 1;
}

/** Numbers between -0.5 and 0.5, the same in every run. */
function createRandom(): () => number {
  let seed = 1;
  return () => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff) / 0x7fffffff - 0.5;
}

/** The bytes of the file; about 2.4 MB. */
export function tinyGguf(): Buffer {
  const parts: Buffer[] = [];
  const number = (size: number, write: (part: Buffer) => void): void => {
    const part = Buffer.alloc(size);
    write(part);
    parts.push(part);
  };
  const u32 = (value: number): void => number(4, (part) => part.writeUInt32LE(value));
  const u64 = (value: number): void => number(8, (part) => part.writeBigUInt64LE(BigInt(value)));
  const f32 = (value: number): void => number(4, (part) => part.writeFloatLE(value));
  const text = (value: string): void => {
    const part = Buffer.from(value);
    u64(part.length);
    parts.push(part);
  };
  const meta: (() => void)[] = [];
  const put = (key: string, kind: number, write: () => void): void =>
    void meta.push(() => [() => text(key), () => u32(kind), write].forEach((step) => step()));
  const putNumber = (key: string, value: number): void => put(key, kinds.u32, () => u32(value));
  const putText = (key: string, value: string): void => put(key, kinds.text, () => text(value));
  const putArray = (key: string, kind: number, write: (word: string, at: number) => void): void =>
    put(key, kinds.array, () => {
      u32(kind);
      u64(words.length);
      words.forEach(write);
    });
  putText('general.architecture', 'llama');
  putText('general.name', 'Nonsense');
  putNumber('llama.context_length', context);
  putNumber('llama.embedding_length', width);
  putNumber('llama.block_count', layers);
  putNumber('llama.feed_forward_length', feed);
  putNumber('llama.attention.head_count', heads);
  putNumber('llama.attention.head_count_kv', heads);
  put('llama.attention.layer_norm_rms_epsilon', kinds.f32, () => f32(1e-5));
  putNumber('llama.rope.dimension_count', width / heads);
  putNumber('llama.vocab_size', words.length);
  putText('tokenizer.ggml.model', 'llama');
  putArray('tokenizer.ggml.tokens', kinds.text, text);
  putArray('tokenizer.ggml.scores', kinds.f32, (_, at) => f32(-at));
  putArray('tokenizer.ggml.token_type', kinds.i32, (word) => u32(wordType(word)));
  putNumber('tokenizer.ggml.bos_token_id', 1);
  putNumber('tokenizer.ggml.eos_token_id', 2);
  putNumber('tokenizer.ggml.unknown_token_id', 0);
  put('tokenizer.ggml.add_bos_token', kinds.bool, () => parts.push(Buffer.from([1])));
  putText('tokenizer.chat_template', template);

  const tensors: (readonly [name: string, sides: readonly number[], value?: number])[] = [
    ['token_embd.weight', [width, words.length]],
    ['output_norm.weight', [width], 1],
    ['output.weight', [width, words.length]],
    ...Array.from({ length: layers }, (_, n) => [
      [`blk.${n}.attn_norm.weight`, [width], 1] as const,
      [`blk.${n}.ffn_norm.weight`, [width], 1] as const,
      ...['q', 'k', 'v', 'output'].map((part) => [`blk.${n}.attn_${part}.weight`, [width, width]] as const),
      [`blk.${n}.ffn_gate.weight`, [width, feed]] as const,
      [`blk.${n}.ffn_up.weight`, [width, feed]] as const,
      [`blk.${n}.ffn_down.weight`, [feed, width]] as const,
    ]).flat(),
  ];
  const count = (sides: readonly number[]): number => sides.reduce((product, side) => product * side, 1);
  parts.push(Buffer.from('GGUF'));
  u32(3);
  u64(tensors.length);
  u64(meta.length);
  for (const write of meta) write();
  let offset = 0;
  for (const [name, sides] of tensors) {
    text(name);
    u32(sides.length);
    sides.forEach(u64);
    u32(0);
    u64(offset);
    offset += Math.ceil((count(sides) * 4) / 32) * 32;
  }
  const align = (size: number): void => void parts.push(Buffer.alloc((32 - (size % 32)) % 32));
  align(parts.reduce((sum, part) => sum + part.length, 0));
  const random = createRandom();
  for (const [, sides, value] of tensors) {
    const weights = Float32Array.from({ length: count(sides) }, () => value ?? random() * 0.2);
    parts.push(Buffer.from(weights.buffer));
    align(weights.byteLength);
  }
  return Buffer.concat(parts);
}

/** The tiny model as a row that Patina offers. */
export function offeredTiny(address: string): OfferedModel {
  const file = tinyGguf();
  return {
    name: 'tiny',
    title: 'Tiny',
    licence: 'CC0-1.0',
    page: 'https://models.example/tiny',
    address,
    bytes: file.length,
    sha256: createHash('sha256').update(file).digest('hex'),
  };
}
