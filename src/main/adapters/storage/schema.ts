/**
 * The database's versions: entry N migrates a file from `user_version` N to N + 1. Never edit a released
 * entry.
 *
 * An event's id is `sessions.key * 2^32 + seq`, so a session's events are stored in order without a second
 * index.
 * Each row also names its session, so that it can be salvaged when everything around it is lost.
 * `sessions.last_seq` is the session's seq when its row was last written; later events may exist.
 * `grants.body` and `tool_pins.body` are JSON, validated on read; an invalid row is ignored.
 * `heads` records each session's last event number and that event's hash, with a CRC-32 over the row.
 * `runs` names the session in which a run started, so that a run is found without reading sessions; it is
 * derived from the events, and runs that started before the table existed are not in it.
 * `model_usage` sums the model calls of a local day, one row for each session, model and step of input; calls made
 * before the table existed are not in it. Rows of deleted sessions name no session.
 * `marks` has a row for each session with a mark; it is derived from the events, like `sessions`.
 * A message's id is `sessions.key * 2^32 + turn * 2 + (0 for the user, 1 for the answer)`.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE sessions (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    last_seq INTEGER NOT NULL,
    title TEXT NOT NULL,
    project TEXT,
    archived INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    turn_count INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    v INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    fact TEXT NOT NULL
  ) STRICT;
  CREATE TABLE leases (
    session_id TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    pid INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE snapshots (
    session_id TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    v INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    state TEXT NOT NULL
  ) STRICT;
  CREATE TABLE unreadable (found_at INTEGER NOT NULL, row TEXT NOT NULL) STRICT;
  CREATE TABLE messages (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
  CREATE VIRTUAL TABLE message_words USING fts5 (
    text,
    content = 'messages',
    content_rowid = 'id',
    prefix = '2 3',
    tokenize = "unicode61 remove_diacritics 2"
  );
  `,
  `
  CREATE TABLE grants (id TEXT PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
  CREATE TABLE tool_pins (uri TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
  `,
  `
  CREATE TABLE heads (
    key INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    sum INTEGER NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE runs (id TEXT PRIMARY KEY, session_id TEXT NOT NULL) STRICT;
  `,
  `
  CREATE TABLE model_usage (
    day TEXT NOT NULL,
    session_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    step INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    input INTEGER NOT NULL,
    cached INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    output INTEGER NOT NULL,
    reasoning INTEGER NOT NULL,
    reported_input INTEGER NOT NULL,
    estimated INTEGER NOT NULL,
    PRIMARY KEY (day, session_id, provider, model, step)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE marks (
    key INTEGER PRIMARY KEY,
    pinned INTEGER NOT NULL,
    unread INTEGER NOT NULL,
    failed INTEGER NOT NULL
  ) STRICT;
  `,
];
