package views

// ErrorCode is one code of the API as the docs describe it.
type ErrorCode struct {
	Code string
	// Status is the HTTP status; 0 for the error of a failed job.
	Status int
	// Anchor is where the errors guide describes it: the code itself, or with job- before it.
	Anchor string
	// Means says when it comes, Do what to do about it.
	Means, Do string
}

// CallErrors are the errors that a call can answer, by status.
func CallErrors() []ErrorCode {
	codes := []ErrorCode{
		{Code: "invalid_body", Status: 400, Means: "The body is not one JSON object. For an upload: size is no whole number above 0, or content_type is missing.", Do: "Send a JSON object with the fields that the call takes."},
		{Code: "invalid_image", Status: 400, Means: "No source is named or more than one, an upload id is no UUID, or the image is empty.", Do: "Name exactly one source."},
		{Code: "invalid_url", Status: 400, Means: "A source or callback is not a public address: another scheme or port, a user name in it, or a private network behind it.", Do: "Use an http or https address that anybody can reach, and https for a callback."},
		{Code: "image_unreachable", Status: 400, Means: "The address of the image did not answer with 200, or was too slow.", Do: "Try the address yourself, or upload the file."},
		{Code: "video_unreachable", Status: 400, Means: "The same for a video, also when its file took too long to arrive.", Do: "Try the address yourself, or upload the file."},
		{Code: "audio_unreachable", Status: 400, Means: "The same for a voice clip.", Do: "Try the address yourself, or upload the file."},
		{Code: "invalid_callback", Status: 400, Means: "callback_url is not a text, or its host has no public address.", Do: "Give a public https address, or leave it out and read the job."},
		{Code: "batch_unsupported", Status: 400, Means: "Over MCP alone: the body is a JSON-RPC batch.", Do: "Send one message at a time."},
		{Code: "invalid_parameter", Status: 400, Means: "seconds is no positive number, or an Idempotency-Key is not 1 to 255 printable ASCII characters.", Do: "Correct the value. If it was right, the fault is ours: send us the Request-Id."},
		{Code: "invalid_key", Status: 401, Means: "The key is missing, misspelt, unknown or revoked.", Do: "Send a live key in X-API-Key."},
		{Code: "plan_required", Status: 402, Means: "The account’s plan has no API access, or the account is suspended or being closed. The message says which.", Do: "Choose a plan with API access."},
		{Code: "payment_failed", Status: 402, Means: "The last payment for the plan failed.", Do: "Mend the payment. Keys work again at once."},
		{Code: "quota_exceeded", Status: 402, Means: "The credits left in this period do not cover the call. Nothing was charged.", Do: "Wait until resets_at, or move to a larger plan."},
		{Code: "not_found", Status: 404, Means: "There is no such job in this account, it has expired, or the path is wrong. A download says it until its job has succeeded.", Do: "Check the id and the path. Start the job again if it has expired."},
		{Code: "unknown_job", Status: 404, Means: "The same as not_found: there is no such job in this account, or it has expired.", Do: "Check the id. Start the job again if it has expired."},
		{Code: "upload_not_found", Status: 404, Means: "Nothing usable lies under the upload id: nothing was sent, it was used before, or its ticket has expired.", Do: "Ask for a new ticket and send the file again."},
		{Code: "method_not_allowed", Status: 405, Means: "The path does not take this method.", Do: "Use one that the Allow header names."},
		{Code: "idempotency_conflict", Status: 409, Means: "The Idempotency-Key was used with another body before, or for another call.", Do: "Take a new key for a new act."},
		{Code: "precondition_failed", Status: 412, Means: "A download’s If-Match or If-Unmodified-Since names another file.", Do: "Begin the download anew."},
		{Code: "image_too_large", Status: 413, Means: "The image is over the limit for the way it was sent, or the body of the request is too large.", Do: "Send it as an upload, or make it smaller."},
		{Code: "too_many_pixels", Status: 413, Means: "Width times height is over the limit that detail names.", Do: "Scale the image down."},
		{Code: "video_too_large", Status: 413, Means: "The video, or the file of an upload, is over the size limit.", Do: "Send a smaller file."},
		{Code: "audio_too_large", Status: 413, Means: "The voice clip is over the size limit.", Do: "Send a smaller file."},
		{Code: "video_too_long", Status: 413, Means: "seconds is over the length limit that detail names.", Do: "Cut the clip."},
		{Code: "unsupported_media", Status: 415, Means: "The file is of a kind that is not read, is animated, or is broken; or it came in the wrong field. Voice clips cannot be optimized.", Do: "Look at the formats, and at the field that you sent it in."},
		{Code: "audio_unsupported", Status: 415, Means: "The voice clip holds no sound that can be decoded.", Do: "Send MP3, WAV or M4A."},
		{Code: "video_unsupported", Status: 415, Means: "The video holds no picture that can be decoded, or has no usable frame rate.", Do: "Send MP4, MOV or WebM with a common codec."},
		{Code: "range_not_satisfiable", Status: 416, Means: "A download’s Range lies beyond the end of the file.", Do: "Ask for a range within its length."},
		{Code: "rate_limited", Status: 429, Means: "The account is over its requests a minute.", Do: "Wait for Retry-After seconds."},
		{Code: "too_many_jobs", Status: 429, Means: "The account runs as many jobs as its plan allows.", Do: "Wait for Retry-After seconds, or until a job has ended."},
		{Code: "internal_error", Status: 500, Means: "Something failed on our side.", Do: "Try again. If it stays, send us the Request-Id."},
		{Code: "engine_error", Status: 500, Means: "The engine failed on this file without saying why.", Do: "Try again. If it stays, send us the Request-Id."},
		{Code: "engine_unavailable", Status: 503, Means: "The engine is starting, full, or did not answer in time.", Do: "Wait for Retry-After seconds. An upload stays usable."},
		{Code: "model_unavailable", Status: 503, Means: "A detection model is not ready.", Do: "Try again in some minutes. An upload stays usable."},
		{Code: "optimizations_disabled", Status: 503, Means: "Optimizing is paused. Checks still work.", Do: "Wait for Retry-After seconds. An upload stays usable."},
		{Code: "tracking_failed", Status: 503, Means: "The optimization could not be recorded, and was not charged.", Do: "Try again, with a new upload if the file came from one."},
		{Code: "uploads_unavailable", Status: 503, Means: "Storage does not answer. It is needed for uploads and for images by address or base64.", Do: "Try again in a moment."},
		{Code: "engine_credentials_missing", Status: 503, Means: "The service is not set up completely.", Do: "Tell the people who run it."},
		{Code: "engine_region_missing", Status: 503, Means: "The service is not set up completely.", Do: "Tell the people who run it."},
	}
	for i := range codes {
		codes[i].Anchor = codes[i].Code
	}
	return codes
}

// JobErrors are the errors that a failed job can have.
func JobErrors() []ErrorCode {
	codes := []ErrorCode{
		{Code: "job_timeout", Means: "The job did not end in its time.", Do: "Start it again."},
		{Code: "stage1_failed", Means: "The file could not be rendered anew, or its statements of origin could not be kept whole.", Do: "Send another version of the file."},
		{Code: "model_unavailable", Means: "A detection model could not be loaded.", Do: "Start it again later."},
		{Code: "engine_error", Means: "The engine failed on this file without saying why.", Do: "Start it again. If it stays, send us the job’s id."},
		{Code: "job_failed", Means: "Anything else.", Do: "Start it again. If it stays, send us the job’s id."},
		{Code: "video_too_long", Means: "The video runs past seconds, 3 minutes or 5,400 frames.", Do: "Give its true length, or cut it."},
		{Code: "video_unsupported", Means: "The video could not be decoded.", Do: "Send MP4, MOV or WebM with a common codec."},
		{Code: "audio_too_long", Means: "The voice clip runs past seconds or 3 minutes.", Do: "Give its true length, or cut it."},
		{Code: "audio_unsupported", Means: "The voice clip could not be decoded.", Do: "Send MP3, WAV or M4A."},
	}
	described := map[string]bool{}
	for _, c := range CallErrors() {
		described[c.Code] = true
	}
	for i, c := range codes {
		codes[i].Anchor = c.Code
		if described[c.Code] {
			codes[i].Anchor = "job-" + c.Code
		}
	}
	return codes
}
