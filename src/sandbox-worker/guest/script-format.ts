/** The `fmt` object of scripts: what nearly every script that reports numbers and paths would write itself. */
export interface ScriptFormat {
  /** `3 files`, `1 file`. */
  count(number: number, one: string, many: string): string;
  /** `1.5 MB`, with decimal units. */
  bytes(bytes: number): string;
  /** An upper bound of the tokens of a text: a step's result is limited in tokens. */
  tokens(text: string): number;
  /** The text, cut at its start to at most so many tokens: the end of a path says more than its start. */
  fit(text: string, maxTokens: number): string;
}

/** Runs inside the guest as text, so it must not close over anything. */
export function createScriptFormat(): ScriptFormat {
  const tokensOf = (char: string): number => {
    if (/[A-Za-z ]/.test(char)) return 0.5;
    if (/[0-9]/.test(char)) return 0.7;
    return char < '\u0080' ? 1 : 4;
  };
  return {
    count: (number, one, many) => `${number} ${number === 1 ? one : many}`,
    bytes(bytes) {
      if (bytes < 1_000) return `${bytes}\u00A0${bytes === 1 ? 'byte' : 'bytes'}`;
      const units = ['kB', 'MB', 'GB', 'TB'];
      let value = bytes / 1_000;
      let unit = 0;
      for (; value >= 1_000 && unit < units.length - 1; unit += 1) value /= 1_000;
      return `${value.toFixed(1)}\u00A0${units[unit]}`;
    },
    tokens: (text) => [...String(text)].reduce((sum, char) => sum + tokensOf(char), 0),
    fit(text, maxTokens) {
      const chars = [...String(text)];
      let start = chars.length;
      for (let left = maxTokens; start > 0; start -= 1) {
        left -= tokensOf(chars[start - 1] ?? '');
        if (left < 0) break;
      }
      return start === 0 ? String(text) : `…${chars.slice(start).join('')}`;
    },
  };
}
