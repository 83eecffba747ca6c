-- +goose Up
ALTER TABLE account
  ADD COLUMN name      text NOT NULL DEFAULT '',
  -- When the account is deleted; calls stop as soon as it is set. NULL on an account that stays.
  ADD COLUMN closes_at timestamptz,
  -- Beside the state, so that lifting a suspension brings back what was there before, a failed payment too.
  ADD COLUMN suspended_at timestamptz;
CREATE INDEX account_closing_idx ON account (closes_at) WHERE closes_at IS NOT NULL;
UPDATE account SET name = split_part(email, '@', 1);
UPDATE account SET suspended_at = now(), state = CASE billed_by WHEN 'none' THEN 'plan_required' ELSE 'active' END
WHERE state = 'suspended';
-- A person may begin an account whose address stands on another that he has left.
DROP INDEX account_email_key;
CREATE INDEX account_email_idx ON account (lower(email));

ALTER TABLE app_user
  ADD COLUMN name          text NOT NULL DEFAULT '',
  -- Argon2id in PHC form; NULL until a person who was invited, or entered by an operator, has set a password.
  ADD COLUMN password_hash text,
  ADD COLUMN operator      boolean NOT NULL DEFAULT false;

-- A person becomes a user only once the address is proved, so that nobody can sit on another's address.
CREATE TABLE sign_up (
  id            uuid PRIMARY KEY,
  email         text NOT NULL,
  name          text NOT NULL,
  password_hash text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  used_at       timestamptz
);
CREATE INDEX sign_up_created_idx ON sign_up (created_at);

CREATE TABLE email_change (
  id         uuid PRIMARY KEY,
  user_id    uuid NOT NULL REFERENCES app_user (id) ON DELETE CASCADE,
  email      text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  used_at    timestamptz
);
CREATE INDEX email_change_user_idx ON email_change (user_id);

CREATE TABLE invite (
  id          uuid PRIMARY KEY,
  account_id  uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  email       text NOT NULL,
  role        text NOT NULL CHECK (role IN ('owner', 'developer', 'billing', 'viewer')),
  invited_by  uuid REFERENCES app_user (id) ON DELETE SET NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  expires_at  timestamptz NOT NULL,
  -- How often its letter went out, and when last.
  sends       integer NOT NULL DEFAULT 1,
  sent_at     timestamptz NOT NULL DEFAULT now(),
  -- accepted or withdrawn
  ended_at    timestamptz
);
CREATE INDEX invite_address_idx ON invite (account_id, lower(email), sent_at);
CREATE UNIQUE INDEX invite_open_key ON invite (account_id, lower(email)) WHERE ended_at IS NULL;

-- Links that were mailed: SHA-256 of the token; subject is a row of sign_up, app_user, invite or email_change by kind.
CREATE TABLE mail_token (
  hash       bytea PRIMARY KEY,
  kind       text NOT NULL CHECK (kind IN ('sign_up', 'reset', 'invite', 'email_change')),
  subject    uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);
CREATE INDEX mail_token_subject_idx ON mail_token (kind, subject);
CREATE INDEX mail_token_expiry_idx ON mail_token (expires_at);

-- One row a browser that is signed in. Ending the row ends the session, whatever the session store still holds.
CREATE TABLE sign_in (
  id         uuid PRIMARY KEY,
  user_id    uuid NOT NULL REFERENCES app_user (id) ON DELETE CASCADE,
  method     text NOT NULL,
  address    text NOT NULL,
  agent      text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  seen_at    timestamptz NOT NULL DEFAULT now(),
  ended_at   timestamptz
);
CREATE INDEX sign_in_user_idx ON sign_in (user_id, created_at DESC);

-- The session store's table, in the shape that scs's pgxstore wants.
CREATE TABLE sessions (
  token  text PRIMARY KEY,
  data   bytea NOT NULL,
  expiry timestamptz NOT NULL
);
CREATE INDEX sessions_expiry_idx ON sessions (expiry);

CREATE TABLE totp (
  user_id       uuid PRIMARY KEY REFERENCES app_user (id) ON DELETE CASCADE,
  sealed_secret text NOT NULL,
  -- NULL until the first code has shown that the person holds the secret.
  confirmed_at  timestamptz,
  -- The time step of the last code taken, so that no code works twice (RFC 6238, section 5.2).
  last_step     bigint NOT NULL DEFAULT 0
);

CREATE TABLE passkey (
  id           bytea PRIMARY KEY,
  user_id      uuid NOT NULL REFERENCES app_user (id) ON DELETE CASCADE,
  name         text NOT NULL,
  credential   jsonb NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
CREATE INDEX passkey_user_idx ON passkey (user_id);

CREATE TABLE recovery_code (
  user_id uuid NOT NULL REFERENCES app_user (id) ON DELETE CASCADE,
  hash    bytea NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (user_id, hash)
);

-- Tries at sign-in by bucket (GCRA). Losing them in a crash costs some leniency, so no WAL is written.
CREATE UNLOGGED TABLE throttle (
  bucket bytea PRIMARY KEY,
  tat    timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Who did what. It outlives the rows that it speaks of, so nothing here refers to them.
CREATE TABLE audit_log (
  id         uuid NOT NULL,
  at         timestamptz NOT NULL DEFAULT now(),
  account_id uuid,
  user_id    uuid,
  -- user, operator (a person on the operator pages), cli or system
  actor      text NOT NULL,
  act        text NOT NULL,
  subject    text NOT NULL DEFAULT '',
  detail     jsonb,
  address    text NOT NULL DEFAULT '',
  PRIMARY KEY (at, id)
) PARTITION BY RANGE (at);
CREATE INDEX audit_log_account_idx ON audit_log (account_id, at DESC);
CREATE INDEX audit_log_user_idx ON audit_log (user_id, at DESC);
CREATE TABLE audit_log_rest PARTITION OF audit_log DEFAULT;

-- Every call of the API and of the playground: never bodies, addresses of sources or secrets.
CREATE TABLE request_log (
  id          uuid NOT NULL,
  at          timestamptz NOT NULL,
  account_id  uuid NOT NULL,
  -- NULL for the playground, and for a key that did not get as far as being known.
  key_id      uuid,
  method      text NOT NULL,
  route       text NOT NULL,
  status      integer NOT NULL,
  code        text NOT NULL,
  verdict     text,
  credits     bigint NOT NULL DEFAULT 0,
  duration_us bigint NOT NULL,
  PRIMARY KEY (at, id)
) PARTITION BY RANGE (at);
CREATE INDEX request_log_account_idx ON request_log (account_id, at DESC, id DESC) INCLUDE (code, key_id);
CREATE INDEX request_log_id_idx ON request_log (id);
CREATE TABLE request_log_rest PARTITION OF request_log DEFAULT;

-- Counts of the request log, which the portal reads in place of it.
CREATE TABLE usage_day (
  account_id  uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  day         date NOT NULL,
  -- The nil UUID stands for the playground.
  key_id      uuid NOT NULL,
  -- POST /audit and so on.
  call        text NOT NULL,
  requests    bigint NOT NULL DEFAULT 0,
  refused     bigint NOT NULL DEFAULT 0,
  failed      bigint NOT NULL DEFAULT 0,
  ai          bigint NOT NULL DEFAULT 0,
  genuine     bigint NOT NULL DEFAULT 0,
  uncertain   bigint NOT NULL DEFAULT 0,
  unavailable bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, day, key_id, call)
) WITH (fillfactor = 70);

-- Which key and call a charge is for, so that usage adds up to the ledger to the credit.
ALTER TABLE credit_hold
  ADD COLUMN key_id uuid,
  ADD COLUMN call   text;
CREATE INDEX credit_hold_usage_idx ON credit_hold (account_id, ended_at) INCLUDE (key_id, call, captured)
  WHERE state = 'captured';

-- Mails about used-up credits that have gone out, once a period and threshold.
CREATE INDEX credit_period_end_idx ON credit_period (period_end);
CREATE TABLE credit_notice (
  account_id   uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  period_start timestamptz NOT NULL,
  percent      integer NOT NULL,
  at           timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, period_start, percent)
);

-- A job of the playground has no key.
ALTER TABLE job ALTER COLUMN key_id DROP NOT NULL;

-- For the operator, who looks at all accounts' jobs and webhooks together.
CREATE INDEX job_created_idx ON job (created_at DESC, id DESC);
CREATE INDEX job_failed_idx ON job (created_at DESC, id DESC) WHERE status = 'failed';
CREATE INDEX delivery_failing_idx ON delivery (created_at DESC, id DESC) WHERE state <> 'delivered';

-- One press of the playground's button. Its id comes with the form, so that a form sent twice runs once.
CREATE TABLE playground_run (
  id            uuid PRIMARY KEY,
  account_id    uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  user_id       uuid NOT NULL,
  media         text NOT NULL CHECK (media IN ('image', 'video', 'audio')),
  name          text NOT NULL,
  state         text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed')),
  -- The check's report for an image; videos and voice clips name their job instead.
  report        json,
  job_id        uuid,
  credits       bigint NOT NULL DEFAULT 0,
  error_code    text,
  error_message text,
  created_at    timestamptz NOT NULL DEFAULT now(),
  ended_at      timestamptz
);
CREATE INDEX playground_run_account_idx ON playground_run (account_id, created_at DESC);

-- What operators switch without a restart.
CREATE TABLE switch (
  name       text PRIMARY KEY,
  is_on      boolean NOT NULL,
  changed_by text NOT NULL,
  reason     text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE switch;
DROP TABLE playground_run;
DROP INDEX delivery_failing_idx;
DROP INDEX job_failed_idx;
DROP INDEX job_created_idx;
DELETE FROM job WHERE key_id IS NULL;
ALTER TABLE job ALTER COLUMN key_id SET NOT NULL;
DROP TABLE credit_notice;
DROP INDEX credit_period_end_idx;
DROP INDEX credit_hold_usage_idx;
ALTER TABLE credit_hold DROP COLUMN key_id, DROP COLUMN call;
DROP TABLE usage_day;
DROP TABLE request_log;
DROP TABLE audit_log;
DROP TABLE throttle;
DROP TABLE recovery_code;
DROP TABLE passkey;
DROP TABLE totp;
DROP TABLE sessions;
DROP TABLE sign_in;
DROP TABLE mail_token;
DROP TABLE invite;
DROP TABLE email_change;
DROP TABLE sign_up;
ALTER TABLE app_user DROP COLUMN name, DROP COLUMN password_hash, DROP COLUMN operator;
DROP INDEX account_email_idx;
UPDATE account a SET email = a.id || '.' || a.email
WHERE EXISTS (SELECT FROM account b WHERE lower(b.email) = lower(a.email) AND (b.created_at, b.id) < (a.created_at, a.id));
CREATE UNIQUE INDEX account_email_key ON account (lower(email));
UPDATE account SET state = 'suspended' WHERE suspended_at IS NOT NULL;
DROP INDEX account_closing_idx;
ALTER TABLE account DROP COLUMN name, DROP COLUMN closes_at, DROP COLUMN suspended_at;
