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
	// Ready lanes give readings; the others answer unavailable.
	Ready bool
	Today string
}

// Lanes are the lanes behind a verdict and what each can say in this version.
func Lanes() []LaneState {
	return []LaneState{
		{
			Name: "provenance", Reads: "What the file says of its own origin", Ready: true,
			Today: "Validates Content Credentials (C2PA): signature, hashes, signer and time. Reads metadata: the IPTC digital source type, the records that generators leave, the AIGC label.",
		},
		{
			Name: "watermark", Reads: "Marks that generators hide in the pixels", Ready: true,
			Today: "Decodes the open marks: those of Stable Diffusion, SDXL, FLUX and InvokeAI, hidden records of web UIs and NovelAI, DALL·E 2's colour strip. Closed ones, such as SynthID, only their owners can read.",
		},
		{Name: "pixels", Reads: "What the picture itself shows", Today: "No model yet. The frames of a video are read by this lane too."},
		{Name: "voice", Reads: "What the sound of a clip shows", Today: "Speech is found and cut into windows. No model yet."},
	}
}

// ExampleAnswer is the answer of POST /audit for a picture whose metadata names its generator, as the pages show it.
const ExampleAnswer = `{
  "verdict": "ai",
  "score": 98,
  "decided_by": "provenance",
  "lanes": {
    "pixels": {"verdict": "unavailable", "score": 50},
    "watermark": {"verdict": "none", "score": 50},
    "provenance": {
      "verdict": "ai",
      "issuer": "Stable Diffusion WebUI"
    }
  },
  "media": "image"
}`

// ExampleSilence is the answer for a picture that says nothing of its origin, while no other lane can.
const ExampleSilence = `{
  "verdict": "unavailable",
  "score": null,
  "decided_by": "weighed",
  "lanes": {
    "pixels": {"verdict": "unavailable", "score": 50},
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
