package client

// Code is a stable word for one kind of failure. Codes that are not listed here may come too; then the status decides.
type Code string

// Codes of refused calls.
const (
	CodeInvalidBody              Code = "invalid_body"
	CodeInvalidImage             Code = "invalid_image"
	CodeInvalidURL               Code = "invalid_url"
	CodeImageUnreachable         Code = "image_unreachable"
	CodeVideoUnreachable         Code = "video_unreachable"
	CodeAudioUnreachable         Code = "audio_unreachable"
	CodeInvalidCallback          Code = "invalid_callback"
	CodeInvalidParameter         Code = "invalid_parameter"
	CodeInvalidKey               Code = "invalid_key"
	CodePlanRequired             Code = "plan_required"
	CodePaymentFailed            Code = "payment_failed"
	CodeQuotaExceeded            Code = "quota_exceeded"
	CodeNotFound                 Code = "not_found"
	CodeUnknownJob               Code = "unknown_job"
	CodeUploadNotFound           Code = "upload_not_found"
	CodeMethodNotAllowed         Code = "method_not_allowed"
	CodeIdempotencyConflict      Code = "idempotency_conflict"
	CodePreconditionFailed       Code = "precondition_failed"
	CodeImageTooLarge            Code = "image_too_large"
	CodeTooManyPixels            Code = "too_many_pixels"
	CodeVideoTooLarge            Code = "video_too_large"
	CodeAudioTooLarge            Code = "audio_too_large"
	CodeVideoTooLong             Code = "video_too_long"
	CodeUnsupportedMedia         Code = "unsupported_media"
	CodeRangeNotSatisfiable      Code = "range_not_satisfiable"
	CodeRateLimited              Code = "rate_limited"
	CodeTooManyJobs              Code = "too_many_jobs"
	CodeInternalError            Code = "internal_error"
	CodeEngineError              Code = "engine_error"
	CodeEngineUnavailable        Code = "engine_unavailable"
	CodeModelUnavailable         Code = "model_unavailable"
	CodeOptimizationsDisabled    Code = "optimizations_disabled"
	CodeTrackingFailed           Code = "tracking_failed"
	CodeUploadsUnavailable       Code = "uploads_unavailable"
	CodeEngineCredentialsMissing Code = "engine_credentials_missing" //nolint:gosec // a code, no credentials
	CodeEngineRegionMissing      Code = "engine_region_missing"
)

// Codes of failed jobs, beside video_too_long, engine_error and model_unavailable above.
const (
	CodeJobTimeout       Code = "job_timeout"
	CodeJobFailed        Code = "job_failed"
	CodeStage1Failed     Code = "stage1_failed"
	CodeVideoUnsupported Code = "video_unsupported"
	CodeAudioTooLong     Code = "audio_too_long"
	CodeAudioUnsupported Code = "audio_unsupported"
)
