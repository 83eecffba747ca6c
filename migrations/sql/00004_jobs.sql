-- +goose Up
CREATE TABLE job (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  -- The key that started the job: it stays after it is revoked, since webhooks are signed with its secret.
  key_id       uuid NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('check', 'optimize')),
  media        text NOT NULL CHECK (media IN ('image', 'video', 'audio')),
  status       text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'succeeded', 'failed')),
  hold_id      uuid NOT NULL UNIQUE REFERENCES credit_hold (id),
  -- The longest clip that the hold pays for, in seconds; NULL for images.
  max_seconds  double precision CHECK (max_seconds > 0),
  callback_url text,
  source_key   text,
  source_bytes bigint NOT NULL CHECK (source_bytes > 0),
  -- Whoever works the job holds a lease under a run of its own; the run guards every later write.
  run          uuid,
  -- Whether the engine has ever taken the file on: then the job's time runs from started_at.
  admitted     boolean NOT NULL DEFAULT false,
  attempt      integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  lease_until  timestamptz,
  progress     real NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 1),
  -- A check's report, or the optimization's answer as it was fixed at the end, byte for byte.
  -- json and not jsonb: a file's own words may hold U+0000, which jsonb refuses.
  report       json,
  answer       bytea,
  output_key   text,
  output_bytes bigint,
  output_type  text,
  charged      bigint CHECK (charged >= 0),
  error_code   text,
  error_message text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  started_at   timestamptz,
  ended_at     timestamptz,
  expires_at   timestamptz,
  CHECK ((status IN ('succeeded', 'failed')) = (ended_at IS NOT NULL AND expires_at IS NOT NULL)),
  CHECK ((status = 'failed') = (error_code IS NOT NULL AND error_message IS NOT NULL)),
  CHECK (status <> 'running' OR (run IS NOT NULL AND lease_until IS NOT NULL AND started_at IS NOT NULL)),
  CHECK ((output_key IS NULL) = (output_bytes IS NULL) AND (output_key IS NULL) = (output_type IS NULL))
) WITH (fillfactor = 80);
CREATE INDEX job_account_idx ON job (account_id, created_at DESC);
CREATE INDEX job_live_idx ON job (lease_until) WHERE status IN ('queued', 'running');
CREATE INDEX job_expiry_idx ON job (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX job_ended_source_idx ON job (ended_at) WHERE source_key IS NOT NULL AND ended_at IS NOT NULL;
CREATE UNIQUE INDEX job_source_key ON job (source_key) WHERE source_key IS NOT NULL;

-- A webhook on its way. It outlives its job, whose result may expire before the last attempt.
CREATE TABLE delivery (
  id          uuid PRIMARY KEY,
  account_id  uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  job_id      uuid NOT NULL UNIQUE,
  key_id      uuid NOT NULL,
  url         text NOT NULL,
  payload     bytea NOT NULL,
  state       text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'given_up')),
  attempts    integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  -- How far the retry schedule has come; a redelivery begins it anew.
  step        integer NOT NULL DEFAULT 0 CHECK (step >= 0),
  -- When the next attempt is due; NULL once nothing more is tried.
  next_at     timestamptz,
  -- Whether an attempt is under way. next_at is then when its worker is taken for dead.
  attempting  boolean NOT NULL DEFAULT false,
  created_at  timestamptz NOT NULL DEFAULT now(),
  ended_at    timestamptz,
  CHECK (state = 'pending' OR NOT attempting),
  CHECK ((state = 'pending') = (next_at IS NOT NULL)),
  CHECK ((state = 'pending') = (ended_at IS NULL))
) WITH (fillfactor = 80);
CREATE INDEX delivery_account_idx ON delivery (account_id, created_at DESC);
CREATE INDEX delivery_due_idx ON delivery (next_at) WHERE state = 'pending';
CREATE INDEX delivery_attempting_idx ON delivery (account_id, next_at) WHERE attempting;
CREATE INDEX delivery_created_idx ON delivery (created_at);

CREATE TABLE delivery_attempt (
  delivery_id uuid NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
  number      integer NOT NULL CHECK (number > 0),
  started_at  timestamptz NOT NULL DEFAULT now(),
  -- NULL while it runs, and for good when the process died under it.
  ended_at    timestamptz,
  status      integer,
  latency_ms  integer CHECK (latency_ms >= 0),
  -- The first 1 KB of the answer, or why there was none.
  excerpt     bytea,
  error       text,
  PRIMARY KEY (delivery_id, number)
);

-- What the periodic tasks found the last time they looked, for every process's /metrics to tell.
CREATE TABLE task_finding (
  name  text PRIMARY KEY,
  found bigint NOT NULL CHECK (found >= 0),
  at    timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX upload_ended_idx ON upload (ended_at) WHERE ended_at IS NOT NULL;

-- +goose Down
DROP INDEX upload_ended_idx;
DROP TABLE task_finding;
DROP TABLE delivery_attempt;
DROP TABLE delivery;
DROP TABLE job;
