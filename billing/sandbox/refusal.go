package sandbox

import (
	"fmt"
	"net/http"
)

// apiError is a refusal in Stripe's words (https://docs.stripe.com/api/errors).
type apiError struct {
	Status      int     `json:"-"`
	Type        string  `json:"type"`
	Code        string  `json:"code,omitempty"`
	DeclineCode string  `json:"decline_code,omitempty"`
	Message     string  `json:"message"`
	Param       string  `json:"param,omitempty"`
	Intent      *intent `json:"payment_intent,omitempty"`
}

func (e *apiError) Error() string { return e.Message }

const invalidRequest = "invalid_request_error"

// refuse is a request that cannot be right.
func refuse(param, code, format string, args ...any) *apiError {
	return &apiError{
		Status: http.StatusBadRequest, Type: invalidRequest, Code: code, Param: param, Message: fmt.Sprintf(format, args...),
	}
}

// missing is an object that is named and not there: 404 where the path names it, else 400.
func missing(kind, param, id string) *apiError {
	e := refuse(param, "resource_missing", "No such %s: '%s'", kind, id)
	if param == "id" {
		e.Status = http.StatusNotFound
	}
	return e
}

// required is a parameter that was not given.
func required(param string) *apiError {
	return refuse(param, "parameter_missing", "Missing required param: %s.", param)
}

// declined is a card that was not charged, as an API call is told of it.
func declined(f failure) *apiError {
	return &apiError{
		Status: http.StatusPaymentRequired, Type: "card_error", Code: f.Code, DeclineCode: f.DeclineCode, Message: f.Message,
	}
}
