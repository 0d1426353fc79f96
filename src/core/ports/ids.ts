/** New identifiers, unique across processes and safe in file names. */
export interface Ids {
  next(
    prefix:
      'ses' | 'run' | 'call' | 'apr' | 'card' | 'ntc' | 'qst' | 'wfr' | 'wss' | 'grant' | 'eli' | 'line',
  ): string;
}
