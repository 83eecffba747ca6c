-- +goose Up
CREATE TABLE upload (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  media        text NOT NULL CHECK (media IN ('image', 'video', 'audio')),
  content_type text NOT NULL,
  size         bigint NOT NULL CHECK (size > 0),
  state        text NOT NULL DEFAULT 'issued' CHECK (state IN ('issued', 'used', 'expired')),
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  ended_at     timestamptz
);
CREATE INDEX upload_open_idx ON upload (expires_at) WHERE state = 'issued';

CREATE TABLE idempotency (
  account_id   uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  key          text NOT NULL,
  request_hash bytea NOT NULL,
  -- A request under way has no status; its owner has until locked_until before a twin may take over.
  status       integer,
  body         bytea,
  owner        uuid NOT NULL,
  locked_until timestamptz NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_created_idx ON idempotency (created_at);

-- +goose Down
DROP TABLE idempotency;
DROP TABLE upload;
