package signin_test

import (
	"bytes"
	"image/png"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"veracity/account/signin"
	"veracity/platform/fault"
)

// codeAt is the code of an app whose clock is some steps ahead.
func codeAt(t *testing.T, secret string, steps int) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, time.Now().Add(time.Duration(steps)*30*time.Second))
	require.NoError(t, err)
	return code
}

// enrolTOTP sets up one-time codes with the code of the present step, which is used up by that.
func (r *rig) enrolTOTP(t *testing.T, user uuid.UUID) string {
	t.Helper()
	made, err := r.BeginTOTP(t.Context(), user, password, home)
	require.NoError(t, err)
	_, err = r.ConfirmTOTP(t.Context(), user, codeAt(t, made.Secret, 0), home)
	require.NoError(t, err)
	return made.Secret
}

func TestTOTPCountsOnceItsCodeWasShown(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	_, err := r.ConfirmTOTP(t.Context(), user, "123456", home)
	refusedWith(t, fault.InvalidInput, err, "nothing was begun")
	_, err = r.BeginTOTP(t.Context(), user, other, home)
	refusedWith(t, fault.WrongPassword, err)
	first, err := r.BeginTOTP(t.Context(), user, password, home)
	require.NoError(t, err)
	second, err := r.BeginTOTP(t.Context(), user, password, home)
	require.NoError(t, err)
	require.NotEqual(t, first.Secret, second.Secret)
	require.Contains(t, second.URL, "otpauth://totp/Veracity:ada@example.com?")
	picture, err := png.Decode(bytes.NewReader(second.QR))
	require.NoError(t, err)
	require.Equal(t, 240, picture.Bounds().Dx())
	var stored string
	require.NoError(t, r.db.QueryRow(t.Context(), `SELECT sealed_secret FROM totp`).Scan(&stored))
	require.NotContains(t, stored, second.Secret)

	started, err := r.SignIn(t.Context(), "ada@example.com", password, home)
	require.NoError(t, err)
	require.Empty(t, started.Factors, "an unconfirmed secret locks nobody out")
	_, err = r.EnterCode(t.Context(), user, codeAt(t, second.Secret, 0), home)
	refusedWith(t, fault.WrongCode, err)

	_, err = r.ConfirmTOTP(t.Context(), user, codeAt(t, first.Secret, 0), home)
	refusedWith(t, fault.WrongCode, err)
	codes, err := r.ConfirmTOTP(t.Context(), user, codeAt(t, second.Secret, 0), home)
	require.NoError(t, err)
	require.Len(t, codes, 10)
	_, err = r.BeginTOTP(t.Context(), user, password, home)
	refusedWith(t, fault.InvalidInput, err, "a secret in force is not replaced behind its owner's back")

	started, err = r.SignIn(t.Context(), "ada@example.com", password, home)
	require.NoError(t, err)
	require.Equal(t, []signin.Factor{signin.FactorTOTP, signin.FactorRecovery}, started.Factors)
	v, err := r.Visit(t.Context(), r.open(t, user).SignIn, uuid.Nil)
	require.NoError(t, err)
	require.True(t, v.User.SecondFactor)
	require.Equal(t, []string{"totp_added"}, r.queue.told())
	require.Equal(t, 1, r.acts(t, "totp.added", user))
}

func TestOneTimeCodeWorksOnce(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	made, err := r.BeginTOTP(t.Context(), user, password, home)
	require.NoError(t, err)
	code := codeAt(t, made.Secret, 0)
	_, err = r.ConfirmTOTP(t.Context(), user, code, home)
	require.NoError(t, err)
	_, err = r.EnterCode(t.Context(), user, code, home)
	refusedWith(t, fault.WrongCode, err, "the set-up has used it")
	code = codeAt(t, made.Secret, 1)
	won := race(t, 8, func(int) error {
		factor, err := r.EnterCode(t.Context(), user, code[:3]+" "+code[3:], home)
		if err == nil {
			assert.Equal(t, signin.FactorTOTP, factor)
		}
		return err
	}, fault.WrongCode)
	require.Equal(t, 1, won)
	require.Equal(t, 8, r.acts(t, "sign_in.failed", user))
	own := signin.Client{Address: "192.0.2.2", Device: r.open(t, user).Device}
	for _, steps := range []int{-3, 3} {
		_, err = r.EnterCode(t.Context(), user, codeAt(t, made.Secret, steps), own)
		refusedWith(t, fault.WrongCode, err, "a clock more than a step off")
	}
}

func TestCodesOfOneAreNoCodesOfAnother(t *testing.T) {
	t.Parallel()
	r := setup(t)
	ada, eve := r.join(t, "ada@example.com"), r.join(t, "eve@example.com")
	secret := r.enrolTOTP(t, ada)
	r.enrolTOTP(t, eve)
	_, err := r.EnterCode(t.Context(), eve, codeAt(t, secret, 1), home)
	refusedWith(t, fault.WrongCode, err)
	codes, err := r.NewRecoveryCodes(t.Context(), ada, password, home)
	require.NoError(t, err)
	_, err = r.EnterCode(t.Context(), eve, codes[0], home)
	refusedWith(t, fault.WrongCode, err)
}

func TestGuessingCodesIsThrottledByPerson(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	secret := r.enrolTOTP(t, user)
	own := r.open(t, user).Device
	for i := range 10 {
		_, err := r.EnterCode(t.Context(), user, "000000", from("203.0.113."+strconv.Itoa(i)))
		refusedWith(t, fault.WrongCode, err)
	}
	code := codeAt(t, secret, 1)
	_, err := r.EnterCode(t.Context(), user, code, from("203.0.113.99"))
	refusedWith(t, fault.TooManyTries, err)
	_, err = r.EnterCode(t.Context(), user, code, signin.Client{Address: "203.0.113.99", Device: own})
	require.NoError(t, err, "the owner's browser is not locked out")
}

func TestRecoveryCodeWorksOnce(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	_, err := r.NewRecoveryCodes(t.Context(), user, password, home)
	refusedWith(t, fault.InvalidInput, err, "no use without a second step")
	r.enrolTOTP(t, user)
	_, err = r.NewRecoveryCodes(t.Context(), user, other, home)
	refusedWith(t, fault.WrongPassword, err)
	old, err := r.NewRecoveryCodes(t.Context(), user, password, home)
	require.NoError(t, err)
	codes, err := r.NewRecoveryCodes(t.Context(), user, password, home)
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, code := range codes {
		require.Regexp(t, `^[a-z2-7]{4}(-[a-z2-7]{4}){3}$`, code)
		seen[code] = true
	}
	require.Len(t, seen, 10)

	_, err = r.EnterCode(t.Context(), user, old[0], home)
	refusedWith(t, fault.WrongCode, err, "replaced")
	won := race(t, 8, func(int) error {
		factor, err := r.EnterCode(t.Context(), user, " "+strings.ToUpper(strings.ReplaceAll(codes[3], "-", " ")), home)
		if err == nil {
			assert.Equal(t, signin.FactorRecovery, factor)
		}
		return err
	}, fault.WrongCode)
	require.Equal(t, 1, won)
	left, err := r.RecoveryCodesLeft(t.Context(), user)
	require.NoError(t, err)
	require.Equal(t, 9, left)
	require.Equal(t, []string{"totp_added", "recovery_codes", "recovery_codes", "recovery_code_used"}, r.queue.told())
	require.Equal(t, 1, r.acts(t, "recovery_code.used", user))
}

func TestRemovedTOTPTakesItsRecoveryCodesAlong(t *testing.T) {
	t.Parallel()
	r := setup(t)
	user := r.join(t, "ada@example.com")
	refusedWith(t, fault.NotFound, r.RemoveTOTP(t.Context(), user, password, home))
	secret := r.enrolTOTP(t, user)
	refusedWith(t, fault.WrongPassword, r.RemoveTOTP(t.Context(), user, other, home))
	require.NoError(t, r.RemoveTOTP(t.Context(), user, password, home))
	f, err := r.Factors(t.Context(), user)
	require.NoError(t, err)
	require.Zero(t, f)
	_, err = r.EnterCode(t.Context(), user, codeAt(t, secret, 1), home)
	refusedWith(t, fault.WrongCode, err)
	started, err := r.SignIn(t.Context(), "ada@example.com", password, home)
	require.NoError(t, err)
	require.Empty(t, started.Factors)
	require.Equal(t, []string{"totp_added", "totp_removed"}, r.queue.told())
}
