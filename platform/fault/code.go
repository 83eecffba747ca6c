package fault

// Code is a stable word for one kind of failure. The public ones are listed in the API contract under Errors.
type Code string

// Codes of the public API, in the order of the contract's tables.
const (
	InvalidBody       Code = "invalid_body"
	InvalidImage      Code = "invalid_image"
	InvalidURL        Code = "invalid_url"
	ImageUnreachable  Code = "image_unreachable"
	VideoUnreachable  Code = "video_unreachable"
	AudioUnreachable  Code = "audio_unreachable"
	InvalidCallback   Code = "invalid_callback"
	BatchUnsupported  Code = "batch_unsupported"
	InvalidParameter  Code = "invalid_parameter"
	InvalidKey        Code = "invalid_key"
	PlanRequired      Code = "plan_required"
	PaymentFailed     Code = "payment_failed"
	QuotaExceeded     Code = "quota_exceeded"
	NotFound          Code = "not_found"
	UnknownJob        Code = "unknown_job"
	UploadNotFound    Code = "upload_not_found"
	ImageTooLarge     Code = "image_too_large"
	TooManyPixels     Code = "too_many_pixels"
	VideoTooLarge     Code = "video_too_large"
	AudioTooLarge     Code = "audio_too_large"
	VideoTooLong      Code = "video_too_long"
	UnsupportedMedia  Code = "unsupported_media"
	RateLimited       Code = "rate_limited"
	TooManyJobs       Code = "too_many_jobs"
	InternalError     Code = "internal_error"
	EngineError       Code = "engine_error"
	EngineUnavailable Code = "engine_unavailable"
	ModelUnavailable  Code = "model_unavailable"

	OptimizationsDisabled    Code = "optimizations_disabled"
	TrackingFailed           Code = "tracking_failed"
	UploadsUnavailable       Code = "uploads_unavailable"
	EngineCredentialsMissing Code = "engine_credentials_missing" //nolint:gosec // a code, no credentials
	EngineRegionMissing      Code = "engine_region_missing"
)

// Codes that only a failed job carries.
const (
	JobTimeout       Code = "job_timeout"
	Stage1Failed     Code = "stage1_failed"
	JobFailed        Code = "job_failed"
	VideoUnsupported Code = "video_unsupported"
	AudioTooLong     Code = "audio_too_long"
	AudioUnsupported Code = "audio_unsupported"
)

// Codes of ours beside the contract's: answers that it does not describe (an unknown method on a known path, a
// conflicting Idempotency-Key, a download whose range or condition cannot be met) and refusals of the account's own
// acts.
const (
	MethodNotAllowed    Code = "method_not_allowed"
	IdempotencyConflict Code = "idempotency_conflict"
	RangeNotSatisfiable Code = "range_not_satisfiable"
	PreconditionFailed  Code = "precondition_failed"
	NameTaken           Code = "name_taken"
	KeyLimitReached     Code = "key_limit_reached"
	InvalidName         Code = "invalid_name"
	EmailTaken          Code = "email_taken"
	UnknownAccount      Code = "unknown_account"
	UnknownPlan         Code = "unknown_plan"
	UnknownKey          Code = "unknown_key"
	InvalidLimit        Code = "invalid_limit"
)

// Codes of the portal's acts.
const (
	// Forbidden is an act that the person's role does not allow.
	Forbidden Code = "forbidden"
	// SignInFailed is any sign-in that fails, whichever part of it was wrong.
	SignInFailed Code = "sign_in_failed"
	// TooManyTries is a form that was sent too often; RetryAfter says how long to wait.
	TooManyTries Code = "too_many_tries"
	WeakPassword Code = "weak_password"
	// WrongPassword is a confirmation by password that failed.
	WrongPassword Code = "wrong_password"
	// WrongCode is a one-time code or recovery code that does not fit.
	WrongCode Code = "wrong_code"
	// LinkExpired is a mailed link that was used, has expired, or never was one.
	LinkExpired   Code = "link_expired"
	InvalidEmail  Code = "invalid_email"
	InvalidInput  Code = "invalid_input"
	UnknownMember Code = "unknown_member"
	UnknownInvite Code = "unknown_invite"
	AlreadyMember Code = "already_member"
	// TeamFull is one more member or invite than an account may have.
	TeamFull Code = "team_full"
	// LastOwner is an act that would leave an account without an owner.
	LastOwner Code = "last_owner"
	// NeedsSecondFactor is an operator's page asked for by a person without a second factor.
	NeedsSecondFactor Code = "needs_second_factor"
)

// Codes of payments.
const (
	// SubscriptionExists is a purchase for an account that has a live subscription: it is changed, not bought again.
	SubscriptionExists Code = "subscription_exists"
	// NoSubscription is a change of a subscription that the account does not have.
	NoSubscription Code = "no_subscription"
	// PlanUnavailable is a plan that cannot be bought, or moved to as things stand.
	PlanUnavailable Code = "plan_unavailable"
	// PaymentDeclined is a payment that the bank refused while the person waited.
	PaymentDeclined Code = "payment_declined"
	// PaymentServiceUnavailable is a payment service that does not answer; nothing was changed, or it will show later.
	PaymentServiceUnavailable Code = "payment_service_unavailable"
	// UnknownEvent is an event of the payment service that nobody has stored.
	UnknownEvent Code = "unknown_event"
)
