package views

// PlanCard is a plan as the public pages show it.
type PlanCard struct {
	Name, Price              string
	Credits, RPM, Jobs, Keys int64
	// API tells whether the plan may call the API at all.
	API bool
	// Current is the plan of the account that looks.
	Current bool
	// Action leads to the plan, by a link to Href or a form that is sent to Post; empty where nothing does.
	Action, Href, Post string
	// Quiet marks a way that few come for.
	Quiet bool
}

// CreditPrice is what a call costs, and how many of them a month of each plan with API access pays for.
type CreditPrice struct {
	Call, Price string
	// Example is the call that the counts are of, where the price depends on a length.
	Example string
	// Months are counts in the order of the plans with API access.
	Months []int64
}

// Home is what the front page shows.
type Home struct {
	Public
	// BaseURL is the address under which the visitor reaches the API.
	BaseURL string
	Plans   []PlanCard
}

// Pricing is what the price page shows.
type Pricing struct {
	Public
	Plans  []PlanCard
	Prices []CreditPrice
	// Billing tells that plans are chosen and paid on these pages. Otherwise the operator sets them.
	Billing bool
	// Support is the address to write to; empty where the operator names none.
	Support string
	// Results is how long a result stays readable, in words.
	Results string
}

// withAPI are the plans that may call the API.
func withAPI(plans []PlanCard) []PlanCard {
	var found []PlanCard
	for _, p := range plans {
		if p.API {
			found = append(found, p)
		}
	}
	return found
}

// LaneState is what one lane can say today.
type LaneState struct {
	Name, Reads string
	// Learned lanes go by a model, which is mostly in doubt; the others by what a file holds.
	Learned bool
	Today   string
}

// Lanes are the lanes behind a verdict and what each can say in this version.
func Lanes() []LaneState {
	return []LaneState{
		{
			Name: "provenance", Reads: "What the file says of its own origin",
			Today: "Validates Content Credentials (C2PA): signature, hashes, signer and time. Reads metadata: the IPTC digital source type, the records that generators leave, the AIGC label.",
		},
		{
			Name: "watermark", Reads: "Marks that generators hide in the pixels",
			Today: "Decodes the open marks: those of Stable Diffusion, SDXL, FLUX and InvokeAI, hidden records of web UIs and NovelAI, DALL·E 2's colour strip. Closed ones, such as SynthID, only their owners can read.",
		},
		{
			Name: "pixels", Reads: "What the picture itself shows", Learned: true,
			Today: "A learned model reads patches of a picture, or of 8 frames of a video. It is weak. It is set so that at most 1 in 100 photographs is called ai, and never says real.",
		},
		{
			Name: "voice", Reads: "What the sound of a clip shows", Learned: true,
			Today: "A learned model hears the stretches with speech. It is weak as well. It is set so that about 1 in 100 recordings at most is called ai, and never says real.",
		},
	}
}

// ExamplePicture is the answer of POST /audit for a picture whose metadata names its generator, as the pages show it.
const ExamplePicture = `{
  "verdict": "ai",
  "score": 98,
  "decided_by": "provenance",
  "lanes": {
    "pixels": {"verdict": "uncertain", "score": 81},
    "watermark": {"verdict": "none", "score": 50},
    "provenance": {
      "verdict": "ai",
      "issuer": "Stable Diffusion WebUI"
    }
  },
  "media": "image"
}`

// ExampleAnswer is the answer to [FirstCall], whose picture is too small for the pixels lane.
const ExampleAnswer = `{
  "verdict": "ai",
  "score": 98,
  "decided_by": "provenance",
  "lanes": {
    "pixels": {"verdict": "none", "score": 50},
    "watermark": {"verdict": "none", "score": 50},
    "provenance": {
      "verdict": "ai",
      "issuer": "Stable Diffusion WebUI"
    }
  },
  "media": "image"
}`

// ExampleSilence is the answer for an ordinary picture: it says nothing of its origin, has no mark, and its pixels are
// within the band in which the model may err.
const ExampleSilence = `{
  "verdict": "uncertain",
  "score": 38,
  "decided_by": "weighed",
  "lanes": {
    "pixels": {"verdict": "uncertain", "score": 38},
    "watermark": {"verdict": "none", "score": 50},
    "provenance": {"verdict": "none", "issuer": null}
  },
  "media": "image"
}`

func firstPrice(prices []CreditPrice) string {
	if len(prices) == 0 {
		return "little"
	}
	return prices[0].Price
}
