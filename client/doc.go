// Package client calls the Veracity REST API: checks of images, videos and voice clips for AI generation, and
// optimizations of images and videos. It needs Go 1.22 or newer and nothing but the standard library, so a project may
// as well copy the folder.
//
//	c, err := client.New("https://veracity.example", os.Getenv("VERACITY_API_KEY"))
//	check, err := c.Check(ctx, client.ImageURL("https://example.com/picture.jpg"), nil)
//	fmt.Println(check.Verdict, check.DecidedBy)
//
// # Errors
//
// A refusal of the service is an [*Error], a job that failed while it ran a [*JobError], a refusal of the storage behind
// uploads a [*StorageError], and a file that cannot be read a [*FileError]; find them with errors.As. Branch on the code,
// which [CodeOf] reads of the first two: codes are stable, messages are for people. What was begun and whose end is not
// known comes as an [*UnfinishedError], which has the id to go on with.
//
// # What is tried again
//
// Every POST carries an Idempotency-Key, the same at each of its attempts, so an act is done and charged once however
// often it is sent. That makes these safe to repeat, and nothing else is repeated:
//
//	no answer, or one that broke off                          wait 1 s, 2 s, 4 s and so on
//	429 rate_limited, too_many_jobs                           wait as long as Retry-After says
//	503 with Retry-After                                      wait as long as Retry-After says
//	500, and 503 uploads_unavailable or tracking_failed       wait 1 s, 2 s, 4 s and so on
//	502, 503, 504 of a proxy, without a code                  wait 1 s, 2 s, 4 s and so on
//	409 idempotency_conflict on a repetition                  the first attempt is still under way: as above
//
// 503 model_unavailable, engine_credentials_missing and engine_region_missing are not: they take minutes or a person to
// mend. A 500 or tracking_failed may have used up the upload that a call names; such a call is not repeated, but where the
// client sent the file itself, it sends it anew. An address, a certificate or a name that can never work ends at once.
//
// Waits are lengthened at random, so that many clients do not come back together. [Retry] sets how many attempts are made
// and how long all of them may take; an error whose wait would not fit is returned at once.
//
// # Cancellation
//
// Every call ends with its context. What the service has begun by then goes on there and is charged.
package client
