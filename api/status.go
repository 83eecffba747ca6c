package api

import (
	"net/http"

	"veracity/platform/fault"
)

// statuses is the error table: the HTTP status of each code. What is missing here is a 500.
var statuses = map[fault.Code]int{
	fault.InvalidBody:       http.StatusBadRequest,
	fault.InvalidImage:      http.StatusBadRequest,
	fault.InvalidURL:        http.StatusBadRequest,
	fault.ImageUnreachable:  http.StatusBadRequest,
	fault.VideoUnreachable:  http.StatusBadRequest,
	fault.AudioUnreachable:  http.StatusBadRequest,
	fault.InvalidCallback:   http.StatusBadRequest,
	fault.BatchUnsupported:  http.StatusBadRequest,
	fault.InvalidParameter:  http.StatusBadRequest,
	fault.InvalidKey:        http.StatusUnauthorized,
	fault.PlanRequired:      http.StatusPaymentRequired,
	fault.PaymentFailed:     http.StatusPaymentRequired,
	fault.QuotaExceeded:     http.StatusPaymentRequired,
	fault.NotFound:          http.StatusNotFound,
	fault.UnknownJob:        http.StatusNotFound,
	fault.UploadNotFound:    http.StatusNotFound,
	fault.MethodNotAllowed:  http.StatusMethodNotAllowed,
	fault.ImageTooLarge:     http.StatusRequestEntityTooLarge,
	fault.TooManyPixels:     http.StatusRequestEntityTooLarge,
	fault.VideoTooLarge:     http.StatusRequestEntityTooLarge,
	fault.AudioTooLarge:     http.StatusRequestEntityTooLarge,
	fault.VideoTooLong:      http.StatusRequestEntityTooLarge,
	fault.UnsupportedMedia:  http.StatusUnsupportedMediaType,
	fault.AudioUnsupported:  http.StatusUnsupportedMediaType,
	fault.VideoUnsupported:  http.StatusUnsupportedMediaType,
	fault.RateLimited:       http.StatusTooManyRequests,
	fault.TooManyJobs:       http.StatusTooManyRequests,
	fault.InternalError:     http.StatusInternalServerError,
	fault.EngineError:       http.StatusInternalServerError,
	fault.EngineUnavailable: http.StatusServiceUnavailable,
	fault.ModelUnavailable:  http.StatusServiceUnavailable,

	fault.OptimizationsDisabled:    http.StatusServiceUnavailable,
	fault.TrackingFailed:           http.StatusServiceUnavailable,
	fault.UploadsUnavailable:       http.StatusServiceUnavailable,
	fault.EngineCredentialsMissing: http.StatusServiceUnavailable,
	fault.EngineRegionMissing:      http.StatusServiceUnavailable,
	fault.IdempotencyConflict:      http.StatusConflict,
	fault.PreconditionFailed:       http.StatusPreconditionFailed,
	fault.RangeNotSatisfiable:      http.StatusRequestedRangeNotSatisfiable,
	InvalidRequest:                 http.StatusBadRequest,
}

func statusOf(code fault.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}
