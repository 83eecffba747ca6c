-- +goose Up
ALTER TABLE account
  -- When a paid plan that was cancelled ends; calls stop then, whatever else has been heard. NULL on one that goes on.
  ADD COLUMN access_until timestamptz,
  -- When the plan was last set by other than a payment: subscriptions from before it do not touch the account.
  ADD COLUMN plan_set_at  timestamptz NOT NULL DEFAULT now();
UPDATE account SET plan_set_at = created_at;
CREATE INDEX account_access_until_idx ON account (access_until) WHERE access_until IS NOT NULL;

-- An account's customer in Stripe. A second one comes about only when the first was deleted there.
CREATE TABLE stripe_customer (
  id         text PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
CREATE INDEX stripe_customer_account_idx ON stripe_customer (account_id, created_at);

-- One row an account with a customer: who reads it from Stripe just now, when that was last done, and what was odd.
CREATE TABLE billing_sync (
  account_id  uuid PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  run         uuid,
  lease_until timestamptz,
  synced_at   timestamptz,
  finding     text NOT NULL DEFAULT '',
  CHECK ((run IS NULL) = (lease_until IS NULL))
);
CREATE INDEX billing_sync_finding_idx ON billing_sync (account_id) WHERE finding <> '';

-- What Stripe last said of each subscription.
CREATE TABLE subscription (
  id           text PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  customer     text NOT NULL,
  status       text NOT NULL,
  -- The plan of its price, empty where the price is none of ours.
  plan         text NOT NULL,
  -- month or year
  every        text NOT NULL,
  item         text NOT NULL,
  period_start timestamptz NOT NULL,
  period_end   timestamptz NOT NULL,
  -- When it will end; NULL while it goes on.
  cancel_at    timestamptz,
  ended_at     timestamptz,
  -- Whether it is the one that the account's plan follows.
  chosen       boolean NOT NULL DEFAULT false,
  created_at   timestamptz NOT NULL
);
CREATE INDEX subscription_account_idx ON subscription (account_id, created_at);
CREATE UNIQUE INDEX subscription_chosen_key ON subscription (account_id) WHERE chosen;

-- What was paid for, once a subscription and period. It outlives the subscription, so that nothing is granted again.
CREATE TABLE paid_period (
  subscription text NOT NULL,
  period_start timestamptz NOT NULL,
  period_end   timestamptz NOT NULL CHECK (period_end > period_start),
  account_id   uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  -- The largest plan that was paid for any part of it; it never falls.
  plan         text NOT NULL,
  -- month or year; a year is granted month by month.
  every        text NOT NULL CHECK (every IN ('month', 'year')),
  -- Up to when months of it have been granted.
  granted_to   timestamptz NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (subscription, period_start)
);
CREATE INDEX paid_period_account_idx ON paid_period (account_id, period_start);
CREATE INDEX paid_period_due_idx ON paid_period (granted_to) WHERE granted_to < period_end;

-- Events as Stripe sent them. json and not jsonb: they are kept as they came.
CREATE TABLE stripe_event (
  id          text PRIMARY KEY,
  type        text NOT NULL,
  object      text NOT NULL,
  customer    text NOT NULL DEFAULT '',
  payload     json NOT NULL,
  state       text NOT NULL CHECK (state IN ('pending', 'worked', 'ignored', 'not_ours', 'given_up')),
  attempts    integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  error       text NOT NULL DEFAULT '',
  -- Whose it is, as soon as that is known: what an event carries goes with its account.
  account_id  uuid REFERENCES account (id) ON DELETE CASCADE,
  received_at timestamptz NOT NULL DEFAULT now(),
  ended_at    timestamptz,
  CHECK ((state = 'pending') = (ended_at IS NULL))
);
CREATE INDEX stripe_event_received_idx ON stripe_event (received_at DESC, id DESC);
CREATE INDEX stripe_event_account_idx ON stripe_event (account_id, received_at DESC);
CREATE INDEX stripe_event_open_idx ON stripe_event (received_at) WHERE state IN ('pending', 'given_up');

-- +goose Down
DROP TABLE stripe_event;
DROP TABLE paid_period;
DROP TABLE subscription;
DROP TABLE billing_sync;
DROP TABLE stripe_customer;
DROP INDEX account_access_until_idx;
ALTER TABLE account DROP COLUMN access_until, DROP COLUMN plan_set_at;
