package model

// Format is the version of model.json that this package reads.
const Format = 1

// VoiceRate is the sampling rate of voice models in Hz: sound is decoded at it.
const VoiceRate = 16000

// Lane is the lane that a model reads for.
type Lane string

// The lanes that read with a model.
const (
	Pixels Lane = "pixels"
	Voice  Lane = "voice"
)

// Profile is a kind of media with a calibration of its own: what a codec does to a frame of a video moves scores.
type Profile string

// The profiles: a pixels model has Image and Video, a voice model Speech.
const (
	Image  Profile = "image"
	Video  Profile = "video"
	Speech Profile = "speech"
)

// Spec is what a model's folder says of it in model.json; docs/models.md describes each field for those who bring a
// model of their own.
type Spec struct {
	Format  int    `json:"format"`
	Lane    Lane   `json:"lane"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Licence string `json:"licence"`
	// SHA256 is that of model.onnx in hex; when given, another file is refused.
	SHA256 string `json:"sha256,omitempty"`
	Input  Input  `json:"input"`
	Crop   Crop   `json:"crop"`
	Output Output `json:"output"`
	// Profiles holds a calibration for each kind of media that the lane reads.
	Profiles map[Profile]Calibration `json:"profiles"`
	// Training says what made the network, for those who want to make it again. Nothing reads it.
	Training *Training `json:"training,omitempty"`
}

// Training is where a network comes from: the commit of the code and of the list of rows, that list and its SHA-256 in
// hex, and the seed.
type Training struct {
	Commit     string `json:"commit,omitempty"`
	List       string `json:"list,omitempty"`
	ListSHA256 string `json:"list_sha256,omitempty"`
	Seed       int    `json:"seed,omitempty"`
}

// Input is the tensor that the network takes. Pixels: float32, N pictures of Height x Width in sRGB, each value v of 0 to
// 255 as (v/255 - Mean) / Std of its channel. Voice: float32, N x Samples, mono at Rate, -1 to 1.
type Input struct {
	Name string `json:"name"`
	// Layout is "nchw" or "nhwc" for pixels, "nt" for voice.
	Layout  string    `json:"layout"`
	Width   int       `json:"width,omitempty"`
	Height  int       `json:"height,omitempty"`
	Mean    []float64 `json:"mean,omitempty"`
	Std     []float64 `json:"std,omitempty"`
	Samples int       `json:"samples,omitempty"`
	Rate    int       `json:"rate,omitempty"`
}

// values is how many numbers one patch or window has.
func (in Input) values() int {
	if in.Samples > 0 {
		return in.Samples
	}
	return channels * in.Width * in.Height
}

// Policies of Crop.
const (
	Patches = "patches"
	Resize  = "resize"
)

// Crop says what of a picture the network is shown.
type Crop struct {
	// Policy is "patches": Count patches of Width x Height at native resolution, where there is texture; or "resize": the
	// picture scaled to cover Width x Height and cut in its middle.
	Policy string `json:"policy,omitempty"`
	// Count is the most patches of one picture.
	Count int `json:"count,omitempty"`
}

// Kinds of Output.
const (
	Logit       = "logit"
	Probability = "probability"
	Logits      = "logits"
)

// Output is the tensor that the network gives, one row for each picture or window.
type Output struct {
	Name string `json:"name"`
	// Kind is "logit" or "probability" (N or N x 1, of AI), or "logits" (N x K classes, before any softmax).
	Kind string `json:"kind"`
	// AI is the index of the class of what AI made. Other, when set, is that of what is neither photograph nor AI, such as
	// screens, drawings and scans: where it prevails, the lane has nothing to say.
	AI    int  `json:"ai,omitempty"`
	Other *int `json:"other,omitempty"`
}

// Calibration turns the raw score of a file, the mean log-odds over its patches or windows, into a probability, and the
// probability into a verdict.
type Calibration struct {
	// Points are [raw, probability] pairs, both rising, by which scores are read off in straight lines; beyond the ends the
	// last probability holds.
	Points [][2]float64 `json:"points"`
	// Band is where the lane abstains: below Real it says `real`, above AI it says `ai`. Real 0 or AI 1 means never.
	Band Band `json:"band"`
}

// Band is the abstention band in probabilities.
type Band struct {
	Real float64 `json:"real"`
	AI   float64 `json:"ai"`
}
