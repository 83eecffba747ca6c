-- +goose Up
CREATE TABLE account (
  id              uuid PRIMARY KEY,
  email           text NOT NULL,
  plan            text NOT NULL,
  state           text NOT NULL CHECK (state IN ('active', 'plan_required', 'payment_failed', 'suspended')),
  -- Who opens credit periods: nobody (free), the operator's clock, or paid Stripe invoices.
  billed_by       text NOT NULL CHECK (billed_by IN ('none', 'operator', 'stripe')),
  -- Periods of operator-billed accounts start at whole months from here, so that a 31st does not drift to a 28th.
  period_anchor   timestamptz NOT NULL DEFAULT now(),
  -- What the plan grants, written when the plan is set, so that the key lookup reads one row and computes nothing.
  plan_credits    bigint  NOT NULL CHECK (plan_credits >= 0),
  plan_rpm        integer NOT NULL CHECK (plan_rpm >= 0),
  plan_jobs       integer NOT NULL CHECK (plan_jobs >= 0),
  plan_keys       integer NOT NULL CHECK (plan_keys >= 0),
  credits_override bigint CHECK (credits_override >= 0),
  rpm_override    integer CHECK (rpm_override >= 0),
  jobs_override   integer CHECK (jobs_override >= 0),
  keys_override   integer CHECK (keys_override >= 0),
  created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX account_email_key ON account (lower(email));

CREATE TABLE app_user (
  id         uuid PRIMARY KEY,
  email      text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX app_user_email_key ON app_user (lower(email));

CREATE TABLE membership (
  account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  user_id    uuid NOT NULL REFERENCES app_user (id) ON DELETE CASCADE,
  role       text NOT NULL CHECK (role IN ('owner', 'developer', 'billing', 'viewer')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, user_id)
);

CREATE TABLE api_key (
  id             uuid PRIMARY KEY,
  account_id     uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  name           text NOT NULL,
  name_folded    text NOT NULL,
  start          text NOT NULL,
  hash           bytea NOT NULL,
  sealed_secret  text NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now(),
  last_used_at   timestamptz,
  revoked_at     timestamptz
);
CREATE UNIQUE INDEX api_key_hash_key ON api_key (hash);
CREATE UNIQUE INDEX api_key_live_name_key ON api_key (account_id, name_folded) WHERE revoked_at IS NULL;

-- +goose Down
DROP TABLE api_key;
DROP TABLE membership;
DROP TABLE app_user;
DROP TABLE account;
