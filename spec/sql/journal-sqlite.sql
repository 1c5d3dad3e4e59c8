-- SPDX-License-Identifier: Apache-2.0
-- The journal in SQLite, version 1 (clause J4.1).
CREATE TABLE isonomy_journal (version INTEGER NOT NULL);
INSERT INTO isonomy_journal (version) VALUES (1);

CREATE TABLE isonomy_batch (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  calls INTEGER NOT NULL,
  state TEXT NOT NULL,       -- open, ended, pruned
  owner TEXT,                -- null: nobody
  fence INTEGER NOT NULL,
  lease_ends INTEGER,        -- milliseconds; null: nobody
  begun INTEGER NOT NULL,    -- milliseconds
  ended INTEGER              -- milliseconds; null: open
);

CREATE TABLE isonomy_call (
  batch INTEGER NOT NULL REFERENCES isonomy_batch (number),
  position INTEGER NOT NULL,
  tool TEXT NOT NULL,
  version TEXT NOT NULL,
  arguments BLOB NOT NULL,   -- 32 bytes
  injected BLOB,             -- 32 bytes; null: none count
  seq INTEGER NOT NULL,      -- in which order the calls of the batch were written, from 0
  record TEXT,               -- null: reserved
  attempts INTEGER,
  ended INTEGER,             -- milliseconds
  duration INTEGER,          -- microseconds
  PRIMARY KEY (batch, position)
) WITHOUT ROWID;
