-- SPDX-License-Identifier: Apache-2.0
-- The journal in PostgreSQL, version 1 (clause J4.1).
CREATE TABLE isonomy_journal (version integer NOT NULL);
INSERT INTO isonomy_journal (version) VALUES (1);

CREATE TABLE isonomy_batch (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  calls integer NOT NULL,
  state text NOT NULL,       -- open, ended, pruned
  owner text,                -- null: nobody
  fence bigint NOT NULL,
  lease_ends bigint,         -- milliseconds; null: nobody
  begun bigint NOT NULL,     -- milliseconds
  ended bigint               -- milliseconds; null: open
);

CREATE TABLE isonomy_call (
  batch bigint NOT NULL REFERENCES isonomy_batch (number),
  position integer NOT NULL,
  tool text NOT NULL,
  version text NOT NULL,
  arguments bytea NOT NULL,  -- 32 bytes
  injected bytea,            -- 32 bytes; null: none count
  seq integer NOT NULL,      -- in which order the calls of the batch were written, from 0
  record text,               -- null: reserved
  attempts integer,
  ended bigint,              -- milliseconds
  duration bigint,           -- microseconds
  PRIMARY KEY (batch, position)
);
