-- +goose Up
CREATE TABLE credit_period (
  account_id   uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  period_start timestamptz NOT NULL,
  period_end   timestamptz NOT NULL CHECK (period_end > period_start),
  granted      bigint NOT NULL CHECK (granted >= 0),
  spent        bigint NOT NULL DEFAULT 0 CHECK (spent >= 0),
  held         bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
  PRIMARY KEY (account_id, period_start),
  CONSTRAINT credit_period_never_overspent CHECK (spent + held <= granted)
) WITH (fillfactor = 70);

CREATE TABLE credit_hold (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL,
  period_start timestamptz NOT NULL,
  amount       bigint NOT NULL CHECK (amount > 0),
  captured     bigint NOT NULL DEFAULT 0 CHECK (captured >= 0),
  slot         boolean NOT NULL DEFAULT false,
  state        text NOT NULL DEFAULT 'held' CHECK (state IN ('held', 'captured', 'released')),
  -- A hold that nobody ends by then was left by a killed process; NULL means that a job row answers for it.
  expires_at   timestamptz,
  created_at   timestamptz NOT NULL DEFAULT now(),
  ended_at     timestamptz,
  CHECK (captured <= amount),
  FOREIGN KEY (account_id, period_start) REFERENCES credit_period (account_id, period_start) ON DELETE CASCADE
);
CREATE INDEX credit_hold_open_idx ON credit_hold (expires_at) WHERE state = 'held';
CREATE INDEX credit_hold_account_idx ON credit_hold (account_id, period_start);

CREATE TABLE credit_entry (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id   uuid NOT NULL,
  period_start timestamptz NOT NULL,
  hold_id      uuid REFERENCES credit_hold (id) ON DELETE CASCADE,
  kind         text NOT NULL CHECK (kind IN ('grant', 'adjust', 'hold', 'capture', 'release')),
  amount       bigint NOT NULL,
  at           timestamptz NOT NULL DEFAULT now(),
  CHECK ((hold_id IS NULL) = (kind IN ('grant', 'adjust'))),
  FOREIGN KEY (account_id, period_start) REFERENCES credit_period (account_id, period_start) ON DELETE CASCADE,
  CONSTRAINT credit_entry_once UNIQUE (hold_id, kind)
);
CREATE INDEX credit_entry_period_idx ON credit_entry (account_id, period_start);
CREATE UNIQUE INDEX credit_entry_one_grant ON credit_entry (account_id, period_start) WHERE kind = 'grant';

-- +goose StatementBegin
CREATE FUNCTION credit_entry_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'credit_entry is append-only';
END $$;
-- +goose StatementEnd
CREATE TRIGGER credit_entry_append_only BEFORE UPDATE ON credit_entry
  FOR EACH ROW EXECUTE FUNCTION credit_entry_is_append_only();

-- Jobs at once belong to the account and outlive a credit period, so they are counted apart from it.
CREATE TABLE job_slot (
  account_id uuid PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  jobs       integer NOT NULL DEFAULT 0 CHECK (jobs >= 0)
) WITH (fillfactor = 70);

-- Theoretical arrival times of GCRA. Losing them in a crash costs a minute of leniency, so no WAL is written.
CREATE UNLOGGED TABLE rate (
  account_id uuid PRIMARY KEY,
  tat        timestamptz NOT NULL,
  emission   interval NOT NULL
) WITH (fillfactor = 50);

-- +goose Down
DROP TABLE rate;
DROP TABLE job_slot;
DROP TABLE credit_entry;
DROP FUNCTION credit_entry_is_append_only();
DROP TABLE credit_hold;
DROP TABLE credit_period;
